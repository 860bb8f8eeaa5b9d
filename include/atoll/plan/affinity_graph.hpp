// Affinity graph: an undirected weighted graph of the locations that tasks share. It has a vertex
// for each task, and optionally one for each location [affinity §3]. Partitioners and orders work
// on it, whatever its source is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace Atoll {

/// An undirected graph in compressed sparse rows. Each edge is in the rows of both its vertices, so
/// it takes 16 bytes. There are no self-loops, and no edge occurs twice.
struct AffinityGraph {
  std::vector<std::uint64_t> begin{0};        ///< vertices + 1 positions in the two lists below
  std::vector<std::uint32_t> neighbours;      ///< ascending within a vertex
  std::vector<std::uint32_t> weights;         ///< of each neighbour's edge, at least 1
  std::vector<std::uint32_t> vertex_weights;  ///< work of each vertex; empty: all equal

  [[nodiscard]] std::size_t vertices() const { return begin.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return neighbours.size() / 2; }
  [[nodiscard]] std::uint32_t work_of(std::size_t vertex) const {
    return vertex_weights.empty() ? 1 : vertex_weights[vertex];
  }
  friend bool operator==(const AffinityGraph&, const AffinityGraph&) = default;
};

/// Throws Error (input), which names `where` and the vertex, unless all invariants of AffinityGraph
/// hold.
void check(const AffinityGraph& graph, std::string_view where);

/// Locations that each task uses, in compressed sparse rows. A location is anything that tasks can
/// share: a word, a line, a page, an element of an array.
struct TaskLocations {
  std::vector<std::uint64_t> begin{0};   ///< tasks + 1 positions in `locations`
  std::vector<std::uint32_t> locations;  ///< of each task, in any order; duplicates are permitted
  std::uint32_t location_count = 0;      ///< all of `locations` are below

  [[nodiscard]] std::size_t tasks() const { return begin.size() - 1; }
  friend bool operator==(const TaskLocations&, const TaskLocations&) = default;
};

/// Throws Error (input), which names `where` and the task, unless all invariants of TaskLocations
/// hold.
void check(const TaskLocations& tasks, std::string_view where);

}  // namespace Atoll
