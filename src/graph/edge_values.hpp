// Reorders the values of edges from the order of the text into the order of the graph.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/fields.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {

/// Edges of a text that were dropped as duplicates of others.
struct DroppedEdges {
  std::uint64_t count = 0;
  std::uint64_t from = 0, to = 0;  ///< the ends of the lowest of them

  void add(const DroppedEdges& more) {
    if (more.count > 0 && (count == 0 || std::pair(more.from, more.to) < std::pair(from, to)))
      std::tie(from, to) = std::pair(more.from, more.to);
    count += more.count;
  }
};

/// Fills state.values with the values of all edges, for each name in state.value_names. `chunks`
/// has the pairs from which the state's rows were built (with the same options) and their values.
/// Values of the opposite direction are multiplied by `mirrored`. If several edges became one,
/// options.duplicates chooses the value, separately for each name. A value that the text has for a
/// direction takes precedence over one from the opposite direction. Edges with the same ends that
/// weren't merged keep their order. A column of integers stays one only if a double would round
/// some of them. Otherwise the chunks' values become doubles. Throws Error (input) if a sum or a
/// negated integer needs more than 64 bits.
DroppedEdges add_values(Graph::State& state, std::vector<FieldChunk>& chunks,
                        const std::vector<double>& mirrored, const Team& team,
                        const BuildOptions& options);

}  // namespace Atoll::graph
