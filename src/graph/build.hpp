// Builds compressed sparse rows from edges, and the rows of the in-edges from those of the
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

/// Builds the out-edges' rows. `nodes` is above every id and at least options.min_nodes. Edge ids
/// are wide from `narrow_below` edges on: a parameter so that tests needn't have 2^32 edges.
template <class Id>
[[nodiscard]] std::unique_ptr<Graph::State> build_rows(std::vector<EdgeBlock<Id>> blocks,
                                                       std::uint64_t nodes, const Team& team,
                                                       const BuildOptions& options,
                                                       std::uint64_t narrow_below = kNarrowBelow);

/// Chooses the width of ids and builds; the lists are used up.
[[nodiscard]] std::unique_ptr<Graph::State> build_rows(std::vector<EdgeList<std::uint32_t>> narrow,
                                                       std::vector<EdgeList<std::uint64_t>> wide,
                                                       std::uint64_t nodes, const Team& team,
                                                       const BuildOptions& options);

/// Makes r_begin, and with it r_node_idx or r_edge_idx as `which` says, if they aren't there.
void build_reverse(Graph::State& state, Section which, const Team& team);

/// The most memory that building takes with ids of so many bytes: both directions' offsets, and
/// each pair twice.
[[nodiscard]] constexpr std::uint64_t build_bytes(std::uint64_t nodes, std::uint64_t pairs,
                                                  std::uint64_t id_bytes) {
  return nodes * 2 * id_bytes + pairs * 4 * id_bytes;
}

/// The number of nodes that a graph can have at most within `budget` bytes.
[[nodiscard]] constexpr std::uint64_t most_nodes(std::uint64_t budget) {
  const std::uint64_t narrow = budget / build_bytes(1, 0, sizeof(std::uint32_t));
  const std::uint64_t wide = budget / build_bytes(1, 0, sizeof(std::uint64_t));
  return std::max(std::min(narrow, kNarrowBelow - 1), wide);
}

/// Throws Error (input) if a graph of so many nodes can't be built within `budget` bytes; `where`
/// names the place that says how many there are.
void check_nodes_fit(std::uint64_t nodes, const std::string& where, std::uint64_t budget);

}  // namespace Atoll::graph
