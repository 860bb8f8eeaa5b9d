// Rows of the suite `affinity`: the paper's programs (apps/) relative to their originals, in
// alternation. A program checks its result in every round. `value` is the ratio of the times if the
// schedule is followed only where the prediction favours it; `always` is the ratio if it is always
// followed, with the 95 % confidence interval `ratio_low` to `ratio_high`.
#pragma once

#include "atoll/base/json.hpp"
#include "bench.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <regex>

namespace Atoll::bench {

/// Output of a program with --schedule --always --compare.
struct Compared {
  double predicted = 0, prepared = 0, always = 0, low = 0, high = 0;
  bool pays = false;
};

inline Compared read_compared(const std::string& text) {
  std::smatch found;
  const auto number = [&](std::size_t i) { return std::stod(found[i]); };
  Compared result;
  if (std::regex_search(text, found, std::regex("predicted ([0-9.]+), (pays|does not)"))) {
    result.predicted = number(1);
    result.pays = found[2] == "pays";
  }
  require(std::regex_search(text, found, std::regex("prepared in ([0-9.]+) s")), text);
  result.prepared = number(1);
  require(std::regex_search(text, found,
                            std::regex("/ original ([0-9.]+) \\(([0-9.]+) to ([0-9.]+)\\)")),
          text);
  result.always = number(1);
  result.low = number(2);
  result.high = number(3);
  return result;
}

inline Compared compared(const std::string& command) {
  return read_compared(output_of(command + " --schedule --always --compare"));
}

/// Returns the median of three runs. Data that fit the caches are up to 10 % slower or faster
/// within one process, depending on the physical pages.
inline Compared compared_thrice(const std::string& command) {
  std::array<Compared, 3> runs;
  for (Compared& run : runs) run = compared(command);
  std::ranges::sort(runs, {}, &Compared::always);
  return runs[1];
}

/// The same with a schedule from a recorded run. `recorded` is a command that does one iteration
/// with atomic additions.
inline Compared compared_recorded(const std::filesystem::path& build, const std::string& recorded,
                                  const std::string& command) {
  const std::string atoll = "'" + (build / "atoll").string() + "'";
  const std::string file = "'" + (build / "bench" / "recorded.schedule").string() + "'";
  const auto start = std::chrono::steady_clock::now();
  output_of(fmt::format("{} schedule --frontend dbi -o {} -- {}", atoll, file, recorded));
  const std::chrono::duration<double> recording = std::chrono::steady_clock::now() - start;
  const auto loops =
      Json::parse(output_of(fmt::format("{} schedule --check {} --json", atoll, file)));
  const Json& packed = loops["loops"][0]["predicted"]["packed"];
  Compared result = read_compared(output_of(
      fmt::format("{} run --schedule {} --always -- {} --compare", atoll, file, command)));
  packed["ratio"].get_to(result.predicted);
  packed["pays"].get_to(result.pays);
  result.prepared += recording.count();
  return result;
}

/// Adds rows for all programs. `build` is the folder that contains apps/. Shared matrices and
/// meshes are used if they exist.
inline void program_rows(Suite& suite, const std::filesystem::path& build) {
  int off = 0, right = 0;  // number of rows that differ from 1 by 5 %, and number of those with a
                           // correct prediction
  const std::string apps = "'" + (build / "apps").string() + "'/";
  const auto add = [&](const std::string& name, const Compared& run) {
    suite.row(name, "ratio", run.pays ? run.always : 1, "original", 1, (run.high - run.low) / 2,
              {{"ratio_low", run.pays ? run.low : 1},
               {"ratio_high", run.pays ? run.high : 1},
               {"predicted", run.predicted},
               {"followed", run.pays},
               {"always", run.always},
               {"prepare", run.prepared}});
    if (std::abs(run.always - 1) >= 0.05) {
      ++off;
      right += (run.always < 1) == (run.predicted < 1);
    }
  };
  const auto row = [&](const std::string& name, const std::string& call, int rounds = 30) {
    add(name, compared(fmt::format("{}{} --rounds {}", apps, call, rounds)));
  };
  const auto small_row = [&](const std::string& name, const std::string& call, int rounds = 10) {
    add(name, compared_thrice(fmt::format("{}{} --rounds {}", apps, call, rounds)));
  };
  const std::string mesh = apps + "irreg --nodes 400000 --edges 4000000 --mesh";
  add("irreg shuffled mesh 400k/4M",
      compared_recorded(build, mesh + " --updates atomic --rounds 1 --iterations 1",
                        mesh + " --rounds 30"));
  for (const int nodes : {400, 4'000, 40'000})  // Table 3 of the paper
    small_row(fmt::format("irreg uniform {}/{}", nodes, 10 * nodes),
              fmt::format("irreg --nodes {} --edges {} --iterations {}", nodes, 10 * nodes,
                          400'000 / nodes));
  row("irreg uniform 400k/4M", "irreg --nodes 400000 --edges 4000000 --iterations 3");
  row("spmv crs shuffled mesh 1M", "spmv --mesh 1000000 --iterations 3");
  row("spmv ccs shuffled mesh 1M", "spmv --mesh 1000000 --format ccs --iterations 3");
  row("irreg uniform 4M/40M", "irreg --nodes 4000000 --edges 40000000 --iterations 1", 10);
  const auto data = std::filesystem::path(ATOLL_SOURCE_DIR).parent_path() / "shared/data";
  for (const char* name : {"4elt", "copter2", "mdual"}) {
    const auto file = data / "meshes" / (std::string(name) + ".graph.gz");
    if (std::filesystem::exists(file))
      row(fmt::format("irreg {}", name), fmt::format("irreg --graph '{}'", file.string()));
  }
  for (const char* name : {"bcsstk13", "bcsstk16", "bp_1000", "cage10", "circuit_1", "msc01050",
                           "msc01440", "utm3060"}) {
    const auto file = data / "matrices" / (std::string(name) + ".mtx.gz");
    if (!std::filesystem::exists(file)) continue;
    const std::string matrix = fmt::format("--matrix '{}'", file.string());
    small_row(fmt::format("spmv crs {}", name), fmt::format("spmv {} --iterations 30", matrix));
    small_row(fmt::format("spmv ccs {}", name),
              fmt::format("spmv {} --format ccs --iterations 30", matrix));
    small_row(fmt::format("spmm {}", name), fmt::format("spmm {}", matrix), 5);
  }
  if (off > 0) suite.row("predicted on the right side", "of rows", right, "off 1 by 5 %", off);
}

}  // namespace Atoll::bench
