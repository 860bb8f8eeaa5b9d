// Makes sparse ids dense: the ids that have an edge become 0, 1, 2 …, in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/threads/team.hpp"
#include "graph/edge_lists.hpp"

namespace Atoll::graph {

/// All pairs of a text, in any storage.
struct PairSpans {
  std::vector<std::span<EdgePair<std::uint32_t>>> narrow;
  std::vector<std::span<EdgePair<std::uint64_t>>> wide;
  [[nodiscard]] std::uint64_t count() const;
};

/// True if most ids below `bound` have no edge. `bound` is greater than every id. Stops reading
/// pairs as soon as the answer is known.
[[nodiscard]] bool most_ids_are_unused(const PairSpans& pairs, std::uint64_t bound,
                                       const Team& team);

/// Renumbers the ids in place. Returns the old id of each new number. Its memory is bounded by the
/// size of the pairs, however large the ids are.
[[nodiscard]] std::vector<std::uint64_t> renumber(const PairSpans& pairs, std::uint64_t bound,
                                                  const Team& team);

}  // namespace Atoll::graph
