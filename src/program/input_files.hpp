// --load: fills inputs from files. Everything that is wrong with a file is an Error (input) that
// names it and the line.
#pragma once

#include <string>

#include "atoll/graph/graph.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

/// Reads a property: a line for each node ("label value") or for each edge ("from to value"; edges
/// with the same ends in their order), in any order; or a table; or the elements as they lie in
/// memory.
void load_elements(const std::string& path, const Elements& elements);

/// Reads a collection: an item on each line, or a key and its value.
void load_items(const std::string& path, const Items& items);
/// Reads several collections: on each line how many nodes there are, then their labels; in front of
/// it what names the node or the edge, if there is one collection for each.
void load_many(const std::string& path, const ManyItems& many);

/// Whether the graph's edges have numbers of this property's name.
[[nodiscard]] bool has_values(const graph::Graph& graph, const ArrayUse& use);
/// Copies them. Throws Error (input) for one that the property's type doesn't have.
void copy_values(const graph::Graph& graph, const std::string& graph_path,
                 const Elements& elements);

}  // namespace Atoll::program
