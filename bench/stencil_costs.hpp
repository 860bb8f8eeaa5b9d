// Overhead of CloverLeaf besides its loops: search for tile sizes, queueing, planning, and memory.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "../apps/cloverleaf/fields.hpp"
#include "atoll/base/json.hpp"
#include "stencil_deck.hpp"
#include "stencil_flows.hpp"

namespace Atoll::bench {

/// The chosen tile sizes relative to the best of a sweep. A few rounds find the best one, which is
/// then measured again, because the minimum of many noisy times would be biased.
inline void sizes_row(Suite& suite, const FlowCase& flow, int threads, int rounds) {
  std::vector<std::unique_ptr<SteppedFlow>> flows;
  flows.push_back(flow.make({.threads = threads}, flow.n));
  flows.front()->steps(kSettled);
  for (const std::string size :
       {"allx8", "allx16", "allx32", "allx64", "480x16", "480x32", "480x64", "240x64"})
    flows.push_back(
        flow.make({.threads = threads, .tile = st::tile_from_text(size, "bench")}, flow.n));
  const Clock clock = threads == 1 ? Clock::cpu : Clock::wall;
  std::vector<std::function<void()>> variants;
  for (const auto& one : flows) variants.push_back([&] { one->steps(flow.steps); });
  const auto swept = alternate(variants, rounds, clock);
  std::size_t best = 1;
  for (std::size_t i = 2; i < swept.size(); ++i)
    if (swept[i].median < swept[best].median) best = i;
  const auto times = alternate({variants[0], variants[best]}, 3 * rounds, clock);
  const double scale = 1e9 / flow.cells() / flow.steps;
  Json all = Json::object();
  for (std::size_t i = 0; i < swept.size(); ++i)
    all[i == 0 ? "chosen: " + flows[i]->tile() : flows[i]->tile()] = swept[i].median * scale;
  suite.row(fmt::format("sizes chosen {}, {} thread{}", flow.n, threads, threads == 1 ? "" : "s"),
            "ns", times[0].median * scale, "best of a sweep, " + flows[best]->tile(),
            times[1].median * scale, times[0].spread,
            {{"tile", flows[0]->tile()},
             {"threads", threads},
             {"least_ratio", times[0].least / times[1].least},
             {"sweep", all}});
}

/// Fraction of the time of 87 steps in which no loop ran: queueing, recognising chains, planning.
inline void queue_and_plan_row(Suite& suite, const FlowCase& flow, int threads, int rounds) {
  std::vector<double> shares, planning, queueing;
  for (int round = 0; round < rounds; ++round) {
    const auto one = flow.make({.threads = threads}, flow.n);
    const st::Counters before = one->program().counters();
    const double start = seconds_now(Clock::wall);
    one->steps(87);
    one->program().run();
    const double all = seconds_now(Clock::wall) - start;
    const st::Counters after = one->program().counters();
    shares.push_back(100 * (1 - (after.run_seconds - before.run_seconds) / all));
    queueing.push_back(100 * (after.queue_seconds - before.queue_seconds) / all);
    planning.push_back(100 * (after.plan_seconds - before.plan_seconds) / all);
  }
  suite.row(fmt::format("queue and plan {}, {} thread{}", flow.n, threads, threads == 1 ? "" : "s"),
            "%", summarise(shares).median, "2 % of 87 steps", 2, summarise(shares).spread,
            {{"threads", threads},
             {"planning", summarise(planning).median},
             {"queueing", summarise(queueing).median}});
}

/// Returns the peak memory of a command in bytes (VmHWM); ends the suite if the command fails.
inline double peak_memory(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  require(::posix_spawn(&child, words[0], &quiet, nullptr, words.data(), environ) == 0, command[0]);
  ::posix_spawn_file_actions_destroy(&quiet);
  const std::string status = fmt::format("/proc/{}/status", child);
  double kilobytes = 0;
  int ended = 0;
  while (::waitpid(child, &ended, WNOHANG) == 0) {
    std::ifstream lines(status);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("VmHWM:")) kilobytes = std::stod(line.substr(6));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  require(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, command[0] + " " + command[1]);
  return 1024 * kilobytes;
}

/// Returns the bytes of all fields of cloverleaf2d with n x n cells, including halos.
inline double bytes_of_fields(int n) {
  constexpr int kSmall = 16;  // creates fields of this size and scales their bytes
  st::Program program({.threads = 1});
  const clover::Deck deck = clover_deck<2>(kSmall);
  const clover::Fields<2> fields(program, deck);
  double bytes = 0;
  for (const auto& field : fields.mesh.fields()) {
    const st::Range& whole = field->whole();
    bytes += static_cast<double>(st::bytes_of(field->type())) *
             (whole.hi[0] - whole.lo[0] + n - kSmall) * (whole.hi[1] - whole.lo[1] + n - kSmall);
  }
  return bytes;
}

/// The peak memory of cloverleaf2d with n x n cells relative to the bytes of its fields. The memory
/// of the program itself is measured with a small deck. `build` is the folder that contains apps/.
inline void memory_row(Suite& suite, const std::filesystem::path& build, int n) {
  const auto program = build / "apps" / "cloverleaf2d";
  if (!std::filesystem::exists(program)) {
    fmt::print("{} isn't built: its row is left out\n", program.string());
    return;
  }
  const auto deck =
      std::filesystem::temp_directory_path() / fmt::format("bench_stencil.{}.in", ::getpid());
  const auto peak = [&](int cells) {
    std::ofstream(deck) << fmt::format(
        "*clover\nstate 1 density=0.2 energy=1.0\n"
        "state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0 xmax=5 ymin=0 ymax=2\n"
        "x_cells={0}\ny_cells={0}\nxmax=10\nymax=10\ninitial_timestep=0.04\nend_step=4\n"
        "*endclover\n",
        cells);
    return peak_memory({program.string(), deck.string()});
  };
  const double small = peak(16), large = peak(n);
  std::filesystem::remove(deck);
  const double fields = bytes_of_fields(n);
  suite.row(fmt::format("memory {}", n), "MB", large / 1e6, "fields", fields / 1e6, 0,
            {{"small_deck", small / 1e6}});
}

}  // namespace Atoll::bench
