// Edges as they are read or drawn: pairs in large blocks. Each thread has a list of its own, so
// that appending takes no lock, nothing is ever copied to grow, and blocks are freed one by one as
// the graph is built from them.
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
  /// Returns room for `count` more pairs, one after the other; commit() says how many were written.
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

/// Takes the blocks of all lists. The narrow ones are converted if `Id` is wide; there are no wide
/// ones if it is narrow.
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
