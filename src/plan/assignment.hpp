// Chooses one option for each item with the least sum of costs, so that the options together don't
// exceed the capacity of any resource: the multiple-choice knapsack problem with several
// constraints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Atoll::detail {

struct Option {
  double cost = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>>
      takes;  ///< (resource, amount), each resource once
};

/// Returns the option of each item, or std::nullopt if no choice fits. The choice is the cheapest
/// one, unless the proof would take more than `kMaxSteps` steps. In that case it is the cheapest
/// one found, at least as cheap as the greedy choice (greatest gain per amount first).
/// Deterministic.
[[nodiscard]] std::optional<std::vector<std::size_t>> cheapest(
    std::span<const std::vector<Option>> items, std::span<const std::uint64_t> capacity);

inline constexpr std::size_t kMaxSteps = 200'000;

}  // namespace Atoll::detail
