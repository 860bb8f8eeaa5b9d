// Suite `schedules`: tests whether a recorded program's schedule is followed exactly where it is
// faster. 24 programs and inputs are recorded on this computer, tried by `atoll schedule`, and then
// measured without and with the schedule, in alternation. Required: if the schedule is followed, at
// most 1.05 of the original's time; if it isn't, following it would take at least 0.85; the median
// of |predicted - measured| is at most 0.15.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>

#include "bench.hpp"

namespace {

using Atoll::bench::output_of;
using Atoll::bench::require;

constexpr double kSlowest = 1.05, kMissed = 0.85, kOff = 0.15;
constexpr int kRounds = 7, kRoundsOfShort = 21;
constexpr double kShortMs = 0.2;  ///< iterations below this time may be dominated by waking threads

struct Pair {
  std::string name;
  std::string recorded;   ///< command for the recording and the trial
  std::string measured;   ///< the same with more iterations
  bool is_packed = true;  ///< true if the program follows a schedule only with packed data
};

struct Folders {
  std::filesystem::path build, data;
};

std::string quoted(const std::filesystem::path& path) {
  return "'" + path.string() + "'";
}

/// Converts a stored graph to a matrix of ones.
std::filesystem::path as_matrix(const Folders& folders, const std::filesystem::path& graph) {
  const std::string stem = graph.stem().stem().string();
  const std::filesystem::path list = folders.build / "bench" / (stem + ".el");
  const std::filesystem::path matrix = folders.build / "bench" / (stem + ".mtx");
  output_of(fmt::format("{} graph convert {} --directions out -o {} 2>&1",
                        quoted(folders.build / "atoll"), quoted(graph), quoted(list)));
  std::ifstream edges(list);
  std::vector<std::pair<unsigned, unsigned>> all;
  unsigned nodes = 0;
  for (std::string line; std::getline(edges, line);) {
    unsigned from = 0, to = 0;
    if (std::sscanf(line.c_str(), "%u %u", &from, &to) != 2) continue;
    all.emplace_back(from, to);
    nodes = std::max({nodes, from + 1, to + 1});
  }
  require(!all.empty(), list.string() + " has no edges");
  std::ofstream file(matrix);
  file << "%%MatrixMarket matrix coordinate pattern general\n"
       << nodes << ' ' << nodes << ' ' << all.size() << '\n';
  for (const auto& [from, to] : all) file << from + 1 << ' ' << to + 1 << '\n';
  return matrix;
}

std::vector<Pair> pairs_of(const Folders& folders) {
  std::vector<Pair> pairs;
  const auto app = [&](const std::string& name, const std::string& call, int iterations,
                       bool is_packed = true) {
    const std::string command = quoted(folders.build / "apps" / call.substr(0, call.find(' '))) +
                                call.substr(call.find(' '));
    pairs.push_back({name, fmt::format("{} --iterations 3 --rounds 1", command),
                     fmt::format("{} --iterations {} --rounds 1", command, iterations), is_packed});
  };
  app("irreg, random 40k/400k", "irreg --nodes 40000 --edges 400000", 30);
  app("irreg, shuffled mesh 100k/1M", "irreg --nodes 100000 --edges 1000000 --mesh", 10);
  app("spmv rows, shuffled mesh 250k", "spmv --mesh 250000", 20);
  app("spmv columns, shuffled mesh 250k", "spmv --mesh 250000 --format ccs", 20);
  app("spmm bcsstk13", "spmm --matrix " + quoted(folders.data / "matrices/bcsstk13.mtx.gz"), 5,
      false);
  for (const int count : {20'000, 55'000, 80'000}) {
    const std::string program = quoted(folders.build / "bench/particles");
    pairs.push_back({fmt::format("particles {}", count), fmt::format("{} {} 3", program, count),
                     fmt::format("{} {} {}", program, count, 4'000'000 / count), false});
  }
  for (const char* name : {"bcsstk13", "bcsstk16", "bp_1000", "cage10", "circuit_1", "msc01050",
                           "msc01440", "utm3060"})
    app(fmt::format("spmv {}", name),
        "spmv --matrix " + quoted(folders.data / "matrices" / (std::string(name) + ".mtx.gz")),
        200);
  for (const char* name : {"4elt", "copter2", "mdual"})
    app(fmt::format("spmv {}", name),
        "spmv --matrix " +
            quoted(as_matrix(folders, folders.data / "meshes" / (std::string(name) + ".graph.gz"))),
        60);
  app("spmv wiki-Vote",
      "spmv --matrix " + quoted(as_matrix(folders, folders.data / "graphs/wiki-Vote.el.zst")), 100);
  for (const char* file : {"meshes/4elt.graph.gz", "meshes/copter2.graph.gz",
                           "meshes/mdual.graph.gz", "graphs/road-liechtenstein.wel.zst"})
    app(fmt::format("irreg {}", std::filesystem::path(file).stem().stem().string()),
        "irreg --graph " + quoted(folders.data / file), 60);
  return pairs;
}

/// The time that a program printed for its faster variant, and its checksum.
struct Output {
  double ms = 0;
  std::string checksum;
};

Output run(const std::string& command) {
  const std::string text = output_of(command + " 2>/dev/null");
  static const std::regex time("([0-9.]+) ms an iteration");
  double least = std::numeric_limits<double>::infinity();
  for (std::sregex_iterator found(text.begin(), text.end(), time), end; found != end; ++found)
    least = std::min(least, std::stod((*found)[1]));
  std::smatch checksum;
  require(std::isfinite(least), text);
  require(std::regex_search(text, checksum, std::regex("checksum (\\S+)")), text);
  return {least, checksum[1]};
}

void require_same(const Output& one, const Output& other, const std::string& name) {
  const double a = std::stod(one.checksum), b = std::stod(other.checksum);
  require(std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)),
          fmt::format("{}: checksums {} and {}", name, one.checksum, other.checksum));
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  Atoll::bench::Suite suite("schedules");
  const Folders folders{std::filesystem::path(argc > 1 ? argv[1] : "build/bench/schedules.json")
                            .parent_path()
                            .parent_path(),
                        std::filesystem::path(ATOLL_SOURCE_DIR).parent_path() / "shared/data"};
  if (!std::filesystem::exists(folders.data)) {
    fmt::print("no shared/data beside the project: its programs are left out\n");
    return 0;
  }
  const std::string atoll = quoted(folders.build / "atoll");
  const std::string file = quoted(folders.build / "bench/one.schedule");
  const std::string only = argc > 2 ? argv[2] : "";
  std::vector<double> off;
  int slower = 0, missed = 0, near = 0;
  for (const Pair& pair : pairs_of(folders)) {
    if (!only.empty() && pair.name.find(only) == std::string::npos) continue;
    const std::string told = output_of(fmt::format(
        "{} schedule --frontend dbi --json -o {} -- {} 2>/dev/null", atoll, file, pair.recorded));
    const auto json = Atoll::Json::parse(told);
    const auto& predicted = json["loops"][0]["predicted"][pair.is_packed ? "packed" : "alone"];
    require(predicted["measured"].get<bool>(), pair.name + ": its schedule wasn't tried");
    const bool follows = predicted["pays"].get<bool>();
    std::vector<double> plain, followed;
    const auto rounds = [&] {
      return !plain.empty() && plain.front() < kShortMs ? kRoundsOfShort : kRounds;
    };
    for (int round = 0; round < rounds(); ++round) {
      const Output original = run(pair.measured);
      const Output by_schedule =
          run(fmt::format("{} run --schedule {} --always -- {}", atoll, file, pair.measured));
      require_same(original, by_schedule, pair.name);
      plain.push_back(original.ms);
      followed.push_back(by_schedule.ms);
    }
    const double measured = std::ranges::min(followed) / std::ranges::min(plain);
    off.push_back(std::abs(predicted["ratio"].get<double>() - measured));
    slower += follows && measured > kSlowest;
    missed += !follows && measured < kMissed;
    near += off.back() <= kOff;
    suite.row(pair.name, "ms", std::ranges::min(followed), "original", std::ranges::min(plain), 0,
              {{"predicted", predicted["ratio"].get<double>()}, {"followed", follows}});
  }
  std::ranges::sort(off);
  const auto pairs = static_cast<double>(off.size());
  suite.row("followed and slower", "of pairs", slower, "all", pairs);
  suite.row("not followed, and gains", "of pairs", missed, "all", pairs);
  suite.row("predicted within 0.15", "of pairs", near, "all", pairs);
  suite.row("median |predicted - measured|", "", off[off.size() / 2], "limit", kOff);
  suite.write(argc, argv);
  return slower == 0 && missed == 0 && off[off.size() / 2] <= kOff ? 0 : 1;
}
