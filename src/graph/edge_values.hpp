// Puts values of edges from a text's order into the graph's.
#pragma once

#include <vector>

#include "graph/fields.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {

/// Makes the values of all edges, for each name of state.value_names, in state.values. `chunks` has
/// the pairs from which the state's rows were built, with these options, and their values; those of
/// the other direction are multiplied with `mirrored`. Of edges that became one, the first one's
/// value stays. Edges with the same ends that weren't merged keep their order. A column of whole
/// numbers of which a double would round some stays one; else the chunks' become doubles.
void add_values(Graph::State& state, std::vector<FieldChunk>& chunks,
                const std::vector<double>& mirrored, const Team& team, const BuildOptions& options);

}  // namespace Atoll::graph
