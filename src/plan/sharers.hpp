// Locations that several tasks use, with their tasks: Figure 4's map from addresses to threads
// [affinity §2.2].
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "atoll/plan/share_graph.hpp"

namespace Atoll::detail {

/// Throws Error (input) if the options are invalid.
void check(const ShareOptions& options, const TaskLocations& tasks);

enum class Verdict { counts, unshared, dense, many_sharers };

/// Classifies a location that `sharers` of `tasks` tasks use.
[[nodiscard]] Verdict verdict(std::uint64_t sharers, std::uint64_t tasks,
                              const ShareOptions& options);

/// Adds a location of that verdict to the report.
void add(ShareReport& report, Verdict verdict, std::uint64_t sharers);

/// The locations that count, with the tasks that use them.
struct Sharers {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> slots;    ///< of each location; kNone for those that don't count
  std::vector<std::uint64_t> begin;    ///< slots + 1 positions in `tasks`
  std::vector<std::uint32_t> tasks;    ///< of each slot: distinct, ascending
  std::vector<std::uint32_t> weights;  ///< of each slot; empty: 1 each

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::uint32_t weight(std::size_t slot) const {
    return weights.empty() ? 1 : weights[slot];
  }
};

[[nodiscard]] Sharers find_sharers(const TaskLocations& tasks, const ShareOptions& options,
                                   ShareReport& report);

/// Returns a + b, at most 2^32 - 1.
[[nodiscard]] inline std::uint32_t add_up(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t sum = a + b;
  return sum < a ? std::numeric_limits<std::uint32_t>::max() : sum;
}

}  // namespace Atoll::detail
