// Tilings that are known already, by the segment that they tile.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// Tiles segments once: those that are equal up to the names and numbers of their fields share a
/// tiling.
class Tilings {
 public:
  /// Returns the tiling of a segment, as part_of() returns it. It has no loops if running one loop
  /// after the other takes less time.
  [[nodiscard]] std::shared_ptr<const Plan::Tiling> of(Chain segment, const PlanOptions& options);
  /// Forgets the tilings that no plan uses.
  void evict();
  /// Bytes of all known tilings.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Known {
    Chain segment;
    PlanOptions options;
    std::shared_ptr<const Plan::Tiling> tiling;
  };
  static std::uint64_t hash_of(const Chain& segment, const PlanOptions& options);

  std::unordered_multimap<std::uint64_t, Known> known_;
};

/// As make_plan(), with tilings of earlier plans. Doesn't check temporary fields.
[[nodiscard]] Plan make_plan(const Chain& chain, const PlanOptions& options, Tilings& tilings);

}  // namespace Atoll::stencil
