// What tasks share: an undirected weighted graph with a vertex for each task, or for each location
// too [affinity §3]. Partitioners and orders work on it; they know nothing of where it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace Atoll {

/// An undirected graph in compressed sparse rows. Each edge lies in both of its vertices' rows, so
/// it takes 16 bytes. There are no self-loops, and no edge twice.
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

/// Throws Error (input), naming `where` and the vertex, unless all that AffinityGraph says holds.
void check(const AffinityGraph& graph, std::string_view where);

/// Which locations each task uses, in compressed sparse rows. A location is whatever tasks can have
/// in common: a word, a line, a page, an element of an array.
struct TaskLocations {
  std::vector<std::uint64_t> begin{0};   ///< tasks + 1 positions in `locations`
  std::vector<std::uint32_t> locations;  ///< of each task, in any order; may be named twice
  std::uint32_t location_count = 0;      ///< all of `locations` are below

  [[nodiscard]] std::size_t tasks() const { return begin.size() - 1; }
  friend bool operator==(const TaskLocations&, const TaskLocations&) = default;
};

/// Throws Error (input), naming `where` and the task, unless all that TaskLocations says holds.
void check(const TaskLocations& tasks, std::string_view where);

}  // namespace Atoll
