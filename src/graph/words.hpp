// Words as node ids: each distinct word of a text becomes a number.
#pragma once

#include <string>
#include <vector>

#include "graph/fields.hpp"

namespace Atoll::graph {

/// Replaces the positions in each chunk's pairs with node numbers, and clears the chunks' words.
/// Returns the word of each node. Nodes are in the order of the text, or ascending if all words are
/// decimal numbers.
[[nodiscard]] std::vector<std::string> number_words(std::vector<FieldChunk>& chunks,
                                                    const Team& team);

}  // namespace Atoll::graph
