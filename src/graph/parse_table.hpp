// Parses tables: lines of fields that are separated by commas, semicolons, tabs or blanks. Two
// columns are the ends of an edge.
#pragma once

#include "graph/load_text.hpp"

namespace Atoll::graph {

/// request.text.from and .to select the columns. If they aren't numbers, the first line has the
/// column names.
[[nodiscard]] ParsedText parse_table(TextReader& reader, const Team& team,
                                     const TextRequest& request);

}  // namespace Atoll::graph
