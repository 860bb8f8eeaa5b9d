// Implements --load: fills inputs from files. Each error in a file is an Error (input) that names
// the file and the line.
#pragma once

#include <string>

#include "atoll/graph/graph.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

/// Reads a property from one of three formats. A text has, in any order, a line for each node
/// ("label value") or for each edge ("from to value"; parallel edges in order). The others are a
/// table and a binary file with the elements as in memory.
void load_elements(const std::string& path, const Elements& elements);

/// Reads a collection: one item per line, or a key and its value.
void load_items(const std::string& path, const Items& items);
/// Reads several collections, one per line: the number of nodes, then their labels. If there is one
/// collection per node or edge, the line begins with its name.
void load_many(const std::string& path, const ManyItems& many);

/// Returns true if the graph's edges have values with this property's name.
[[nodiscard]] bool has_values(const graph::Graph& graph, const ArrayUse& use);
/// Copies these values. Throws Error (input) if the property's type can't represent one.
void copy_values(const graph::Graph& graph, const std::string& graph_path,
                 const Elements& elements);

}  // namespace Atoll::program
