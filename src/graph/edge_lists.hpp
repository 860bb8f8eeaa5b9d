// Edges as they are read or generated: pairs in large blocks. Each thread has its own list, so
// appending takes no lock. Growing copies nothing, and each block is freed as soon as its edges are
// in the graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/pages.hpp"

namespace Atoll::graph {

template <class Id>
struct EdgePair {
  Id from;
  Id to;
};

template <class Id>
struct EdgeBlock {
  Buffer<EdgePair<Id>> pairs;
  std::size_t used = 0;
};

template <class Id>
class EdgeList {
 public:
  /// Returns contiguous room for `count` more pairs. commit() sets the number of pairs written.
  [[nodiscard]] EdgePair<Id>* room(std::size_t count) {
    if (blocks_.empty() || blocks_.back().pairs.size() - blocks_.back().used < count)
      blocks_.push_back({Buffer<EdgePair<Id>>(std::max(count, kBlockPairs)), 0});
    return blocks_.back().pairs.data() + blocks_.back().used;
  }
  void commit(std::size_t count) { blocks_.back().used += count; }

  [[nodiscard]] std::vector<EdgeBlock<Id>>& blocks() { return blocks_; }

 private:
  static constexpr std::size_t kBlockPairs = std::size_t{1} << 20;
  std::vector<EdgeBlock<Id>> blocks_;
};

/// Moves the blocks out of all lists. If `Id` is wide, narrow blocks are converted. If `Id` is
/// narrow, there must be no wide blocks.
template <class Id>
[[nodiscard]] std::vector<EdgeBlock<Id>> gather_blocks(std::vector<EdgeList<std::uint32_t>>& narrow,
                                                       std::vector<EdgeList<std::uint64_t>>& wide) {
  std::vector<EdgeBlock<Id>> all;
  for (auto& list : narrow) {
    for (auto& block : list.blocks()) {
      if constexpr (std::is_same_v<Id, std::uint32_t>) {
        all.push_back(std::move(block));
      } else {
        const auto old = std::move(block);
        EdgeBlock<Id> wider{Buffer<EdgePair<Id>>(old.used), old.used};
        for (std::size_t i = 0; i < old.used; ++i)
          wider.pairs[i] = {old.pairs[i].from, old.pairs[i].to};
        all.push_back(std::move(wider));
      }
    }
    list.blocks().clear();
  }
  if constexpr (std::is_same_v<Id, std::uint64_t>)
    for (auto& list : wide)
      for (auto& block : list.blocks()) all.push_back(std::move(block));
  return all;
}

}  // namespace Atoll::graph
