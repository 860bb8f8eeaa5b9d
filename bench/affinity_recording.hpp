// Rows of the suite `affinity`: the cost of recording tasks, and the paper's regrouping of threads
// (its Figures 6 and 12), whose effect needs several nodes.
#pragma once

#include <cmath>

#include "affinity_programs.hpp"
#include "emulated.hpp"

namespace Atoll::bench {

/// CPU time of a sparse product whose rows are tasks while they are recorded, relative to the same
/// program without marks, both compiled by the same clang. Each is the minimum of 5 runs in
/// alternation.
inline void recording_rows(Suite& suite, const std::filesystem::path& build) {
  const std::filesystem::path folder = build / "bench" / "affinity";
  std::filesystem::create_directories(folder);
  const std::string text = (folder / "spmv.c").string();
  std::ofstream(text) << R"C(
    #include <stdio.h>
    #include <stdlib.h>
    #include <time.h>
    #include "atoll/marks/marks.h"
    enum { n = 100000, each = 16 };
    int main(void) {
      double *x = malloc(8 * n), *y = malloc(8 * n), *values = malloc(8L * n * each), sum = 0;
      int* columns = malloc(4L * n * each);
      unsigned long state = 1;
      for (long i = 0; i < (long)n * each; ++i) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
        columns[i] = (int)((i / each + (state >> 33) % 1000) % n);
        values[i] = i % 7;
      }
      for (int i = 0; i < n; ++i) x[i] = i % 5;
      struct timespec begin, end;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
      for (int row = 0; row < n; ++row) {
    #ifdef MARKED
        atoll_mark_task_begin("rows", (unsigned long)row);
    #endif
        double product = 0;
        for (int k = 0; k < each; ++k) product += values[(long)row * each + k] * x[columns[(long)row * each + k]];
        y[row] = product;
    #ifdef MARKED
        atoll_mark_task_end();
    #endif
      }
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
      for (int i = 0; i < n; ++i) sum += y[i];
      printf("%.6f %.17g\n", end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec), sum);
      return 0;
    })C";
  const auto compiled = [&](const std::string& compiler, const char* flags, const char* name) {
    const std::string program = (folder / name).string();
    const std::string command =
        fmt::format("{} -O3 -march=native -g -I '{}/include' {} '{}' -o '{}'", compiler,
                    ATOLL_SOURCE_DIR, flags, text, program);
    require(std::system(command.c_str()) == 0, command);
    return program;
  };
  const std::string driver = "'" + (build / "atollcc").string() + "'";
  const std::string native = compiled("\"$(" + driver + " -print-prog-name=clang)\"", "", "native");
  const std::string marked = compiled(driver, "-DMARKED", "marked");
  EmulatedRun least[2];
  for (int round = 0; round < 5; ++round) {
    const EmulatedRun alone = run_emulated({native});
    // With --json, `atoll schedule` sends the program's output to standard error; its own output is
    // discarded.
    const std::string line =
        output_of(fmt::format("'{}' schedule -o '{}' --json -- '{}' 2>&1 >/dev/null",
                              (build / "atoll").string(), (folder / "schedule").string(), marked));
    EmulatedRun watched;
    std::istringstream(line) >> watched.seconds >> watched.answer;
    require(alone.answer == watched.answer, "recorded spmv");
    if (round == 0 || alone.seconds < least[0].seconds) least[0] = alone;
    if (round == 0 || watched.seconds < least[1].seconds) least[1] = watched;
  }
  suite.row("recording spmv 100k tasks", "s CPU", least[1].seconds, "native", least[0].seconds);
}

/// Returns the milliseconds per iteration that the paper's programs print.
inline double milliseconds_of(const std::string& command) {
  const std::string text = output_of(command);
  std::smatch found;
  require(std::regex_search(text, found, std::regex("([0-9.]+) ms an iteration")), text);
  return std::stod(found[1]);
}

/// The paired placements of matmul and radix relative to the original ones, in alternation, with
/// the 95 % confidence interval of the ratio. On one node both are the same, so there is no
/// prediction.
inline void placement_rows(Suite& suite, const std::filesystem::path& build) {
  const auto row = [&](const std::string& name, const std::string& call, int rounds) {
    const std::string command = fmt::format("'{}'/{} --rounds 1", (build / "apps").string(), call);
    std::vector<double> paired, original, ratios;
    for (int round = 0; round < rounds; ++round) {
      const bool paired_first = round % 2 == 1;
      if (paired_first) paired.push_back(milliseconds_of(command + " --placement paired"));
      original.push_back(milliseconds_of(command));
      if (!paired_first) paired.push_back(milliseconds_of(command + " --placement paired"));
      ratios.push_back(paired.back() / original.back());
    }
    std::ranges::sort(ratios);
    const double count = rounds;
    const auto low = static_cast<std::size_t>(std::max(0.0, (count - 1.96 * std::sqrt(count)) / 2));
    const double ratio_low = ratios[low], ratio_high = ratios[ratios.size() - 1 - low];
    const Measured better = summarise(paired);
    suite.row(name, "ms", better.median, "original", summarise(original).median, better.spread,
              {{"ratio_low", ratio_low}, {"ratio_high", ratio_high}});
    fmt::print("  {:.3f} to {:.3f} in 19 of 20 cases\n", ratio_low, ratio_high);
  };
  for (const int size : {200, 400, 800})
    row(fmt::format("matmul {} paired", size), fmt::format("matmul --size {}", size),
        size < 800 ? 30 : 10);
  for (const int keys : {1 << 20, 1 << 22}) {
    const int rounds = keys < 1 << 22 ? 30 : 10;
    row(fmt::format("radix uniform {}M paired", keys >> 20), fmt::format("radix --keys {}", keys),
        rounds);
    row(fmt::format("radix swap {}M paired", keys >> 20),
        fmt::format("radix --input swap --keys {}", keys), rounds);
    row(fmt::format("radix swap {}M paired, no remote writes", keys >> 20),
        fmt::format("radix --input swap --no-remote-writes --keys {}", keys), rounds);
  }
}

}  // namespace Atoll::bench
