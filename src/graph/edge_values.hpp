// Puts values of edges from a text's order into the graph's.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/fields.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {

/// Edges of a text that were dropped, as others have the same ends.
struct DroppedEdges {
  std::uint64_t count = 0;
  std::uint64_t from = 0, to = 0;  ///< the ends of one of them, with the lowest numbers

  void add(const DroppedEdges& more) {
    if (more.count > 0 && (count == 0 || std::pair(more.from, more.to) < std::pair(from, to)))
      std::tie(from, to) = std::pair(more.from, more.to);
    count += more.count;
  }
};

/// Makes the values of all edges, for each name of state.value_names, in state.values. `chunks` has
/// the pairs from which the state's rows were built, with these options, and their values; those of
/// the other direction are multiplied with `mirrored`. If edges became one, options.duplicates
/// chooses its values, each name for itself; a value that the text has for a direction stands
/// before one from the other direction. Edges with the same ends that weren't merged keep their
/// order. A column of whole numbers of which a double would round some stays one; else the chunks'
/// become doubles. Throws Error (input) for whole numbers whose sum or negative has over 64 bits.
DroppedEdges add_values(Graph::State& state, std::vector<FieldChunk>& chunks,
                        const std::vector<double>& mirrored, const Team& team,
                        const BuildOptions& options);

}  // namespace Atoll::graph
