// Makes sparse ids dense: the ids that edges have, in ascending order, become 0, 1, 2 …
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/threads/team.hpp"
#include "graph/edge_lists.hpp"

namespace Atoll::graph {

/// All pairs of a text, wherever they lie.
struct PairSpans {
  std::vector<std::span<EdgePair<std::uint32_t>>> narrow;
  std::vector<std::span<EdgePair<std::uint64_t>>> wide;
  [[nodiscard]] std::uint64_t count() const;
};

/// True if most ids below `bound` (above every id) have no edge. It looks at no more pairs than it
/// needs to.
[[nodiscard]] bool most_ids_are_unused(const PairSpans& pairs, std::uint64_t bound,
                                       const Team& team);

/// Numbers the ids anew, in place. Returns the old id of each number. It needs memory for the pairs
/// at most, however large the ids are.
[[nodiscard]] std::vector<std::uint64_t> renumber(const PairSpans& pairs, std::uint64_t bound,
                                                  const Team& team);

}  // namespace Atoll::graph
