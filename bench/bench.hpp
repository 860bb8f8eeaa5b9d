// Common code of the suites: alternates variants, computes medians, prints ratios relative to a
// baseline of the same run, and writes build/bench/SUITE.json.
#pragma once

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "atoll/base/json.hpp"

namespace Atoll::bench {

/// Median, relative spread (half the interquartile distance divided by the median) and minimum of
/// several runs.
struct Measured {
  double median = 0;
  double spread = 0;
  double least = 0;
};

[[nodiscard]] inline Measured summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {quantile(0.5), (quantile(0.75) - quantile(0.25)) / 2 / quantile(0.5), values.front()};
}

/// Kind of time: wall-clock time, or CPU time of all threads of this process.
enum class Clock { wall, cpu };

[[nodiscard]] inline double seconds_now(Clock clock) {
  timespec now{};
  ::clock_gettime(clock == Clock::cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the seconds of each variant, run in alternation for `rounds` rounds after one warm-up
/// round. The order is reversed in every round, so that no variant always runs after the same one.
[[nodiscard]] inline std::vector<Measured> alternate(
    const std::vector<std::function<void()>>& variants, int rounds, Clock clock = Clock::wall) {
  std::vector<std::vector<double>> seconds(variants.size());
  for (int round = -1; round < rounds; ++round)
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const std::size_t variant = round % 2 == 0 ? i : variants.size() - 1 - i;
      const double start = seconds_now(clock);
      variants[variant]();
      const double elapsed = seconds_now(clock) - start;
      if (round >= 0) seconds[variant].push_back(elapsed);
    }
  std::vector<Measured> measured;
  for (auto& values : seconds) measured.push_back(summarise(std::move(values)));
  return measured;
}

/// Rows of a suite: `value` and `baseline_value` in `unit`; a ratio below 1 means less than the
/// baseline.
class Suite {
 public:
  explicit Suite(std::string name) : name_(std::move(name)) {
    fmt::print("{:<34} {:>12} {:<8} {:>12} {:>7}  {}\n", "suite " + name_, "value", "unit",
               "baseline", "ratio", "against");
  }
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  void row(const std::string& name, const std::string& unit, double value,
           const std::string& baseline, double baseline_value, double spread = 0,
           const Json& more = Json::object()) {
    const double ratio = value / baseline_value;
    fmt::print("{:<34} {:>12.5g} {:<8} {:>12.5g} {:>7.3f}  {}{}\n", name, value, unit,
               baseline_value, ratio, baseline,
               spread > 0 ? fmt::format("  (±{:.1f} %)", 100 * spread) : "");
    std::fflush(stdout);
    rows_.push_back({{"name", name},
                     {"unit", unit},
                     {"value", value},
                     {"baseline", baseline},
                     {"baseline_value", baseline_value},
                     {"ratio", ratio}});
    for (const auto& [key, one] : more.items()) rows_.back()[key] = one;
  }
  /// Writes the file given on the command line, if any: bench_SUITE [FILE.json].
  void write(int argc, char** argv) const {
    if (argc > 1) std::ofstream(argv[1]) << rows_.dump_sorted(1) << "\n";
  }

 private:
  std::string name_;
  Json rows_ = Json::array();
};

/// Ends the suite if a result is wrong, because its times would be meaningless.
inline void require(bool right, const std::string& what) {
  if (right) return;
  fmt::print(stderr, "bench: wrong answer: {}\n", what);
  std::exit(1);
}

/// Returns the output of a command; ends the suite if the command fails.
inline std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  require(pipe != nullptr, command);
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t bytes = std::fread(piece.data(), 1, piece.size(), pipe))
    text.append(piece.data(), bytes);
  require(::pclose(pipe) == 0, command);
  return text;
}

}  // namespace Atoll::bench
