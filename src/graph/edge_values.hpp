// Values of edges, from a text's order to the graph's.
#pragma once

#include <vector>

#include "graph/fields.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {

/// For each name of state.value_names the values of all edges, into state.values. `chunks`: the
/// pairs from which the state's rows were built, with these options, and their values; the other
/// direction's are multiplied with `mirrored`. Of edges that became one, the first one's stay;
/// edges with the same ends that did not keep their order.
void add_values(Graph::State& state, const std::vector<FieldChunk>& chunks,
                const std::vector<double>& mirrored, const Team& team, const BuildOptions& options);

}  // namespace Atoll::graph
