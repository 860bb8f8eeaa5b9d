// The part of a segment in each outer tile, as a chain of its own.
#pragma once

#include <memory>
#include <vector>

#include "stencil/stream/outer_plan.hpp"

namespace Atoll::stencil {

/// Makes the inner chains of a segment's tiles. Tiles that differ by a distance only share one.
class InnerChains {
 public:
  /// `part` has the loops of the segment; `first` is the first one's index in the chain.
  InnerChains(const Chain& part, int first) : part_(part), first_(first) {}
  /// Sets `inner` and `base` of a tile of `cut`.
  void make(const Plan::Segment& cut, int number, OuterTile& tile);

 private:
  const Chain& part_;
  const int first_;
  std::vector<std::shared_ptr<const InnerChain>> known_;
};

}  // namespace Atoll::stencil
