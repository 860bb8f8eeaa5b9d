// Words as node ids: each word of a text becomes a number.
#pragma once

#include <string>
#include <vector>

#include "graph/fields.hpp"

namespace Atoll::graph {

/// Turns the pairs' positions in their chunk's words into numbers of nodes, and clears the words.
/// Returns each node's word: in the order of the text, or ascending if all are decimal numbers.
[[nodiscard]] std::vector<std::string> number_words(std::vector<FieldChunk>& chunks,
                                                    const Team& team);

}  // namespace Atoll::graph
