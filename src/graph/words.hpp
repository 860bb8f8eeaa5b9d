// Words as node ids: each word of a text becomes a number.
#pragma once

#include <string>
#include <vector>

#include "graph/fields.hpp"

namespace Atoll::graph {

/// Makes the pairs' positions in their chunk's words numbers of nodes, and takes the words away.
/// Returns each node's word: as they come in the text, or ascending if all are decimal numbers.
[[nodiscard]] std::vector<std::string> number_words(std::vector<FieldChunk>& chunks,
                                                    const Team& team);

}  // namespace Atoll::graph
