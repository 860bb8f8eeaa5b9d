// Builds compressed sparse rows from edges, and the rows of the in-edges from the rows of the
// out-edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "graph/edge_lists.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {

/// Builds the rows of the out-edges. `nodes` is greater than every id and at least
/// options.min_nodes. Edge ids are wide if there are at least `narrow_below` edges; tests pass a
/// small value in place of the default 2^32 - 1.
template <class Id>
[[nodiscard]] std::unique_ptr<Graph::State> build_rows(std::vector<EdgeBlock<Id>> blocks,
                                                       std::uint64_t nodes, const Team& team,
                                                       const BuildOptions& options,
                                                       std::uint64_t narrow_below = kNarrowBelow);

/// Chooses the width of ids and builds the rows. The lists are consumed.
[[nodiscard]] std::unique_ptr<Graph::State> build_rows(std::vector<EdgeList<std::uint32_t>> narrow,
                                                       std::vector<EdgeList<std::uint64_t>> wide,
                                                       std::uint64_t nodes, const Team& team,
                                                       const BuildOptions& options);

/// Builds r_begin and the section `which` (r_node_idx or r_edge_idx), if they are missing.
void build_reverse(Graph::State& state, Section which, const Team& team);

/// Upper bound of the memory for building with ids of `id_bytes` bytes, in bytes: the offsets of
/// both directions, and each pair twice.
[[nodiscard]] constexpr std::uint64_t build_bytes(std::uint64_t nodes, std::uint64_t pairs,
                                                  std::uint64_t id_bytes) {
  return nodes * 2 * id_bytes + pairs * 4 * id_bytes;
}

/// The greatest number of nodes of a graph that is built within `budget` bytes.
[[nodiscard]] constexpr std::uint64_t most_nodes(std::uint64_t budget) {
  const std::uint64_t narrow = budget / build_bytes(1, 0, sizeof(std::uint32_t));
  const std::uint64_t wide = budget / build_bytes(1, 0, sizeof(std::uint64_t));
  return std::max(std::min(narrow, kNarrowBelow - 1), wide);
}

/// Throws Error (input) if a graph of `nodes` nodes can't be built within `budget` bytes. `where`
/// names the file and line that declares the number.
void check_nodes_fit(std::uint64_t nodes, const std::string& where, std::uint64_t budget);

}  // namespace Atoll::graph
