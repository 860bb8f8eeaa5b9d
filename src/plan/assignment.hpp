// Chooses one option for each item, so that the sum of their costs is least and the options
// together take no more of any resource than there is: the multiple-choice knapsack problem with
// several constraints.
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

/// Returns the option of each item, or nothing if no choice fits. The choice is the cheapest there
/// is, unless proving that would take more than `kMaxSteps` steps: then it is the cheapest found,
/// at least as cheap as the greedy one (the greatest gain per amount taken first). Deterministic.
[[nodiscard]] std::optional<std::vector<std::size_t>> cheapest(
    std::span<const std::vector<Option>> items, std::span<const std::uint64_t> capacity);

inline constexpr std::size_t kMaxSteps = 200'000;

}  // namespace Atoll::detail
