// Reads tables: lines of fields between commas, semicolons, tabs or blanks, of which two columns
// are an edge's ends.
#pragma once

#include "graph/load_text.hpp"

namespace Atoll::graph {

/// request.text.from and .to name the columns; if they aren't numbers, the first line has the
/// names.
[[nodiscard]] ParsedText parse_table(TextReader& reader, const Team& team,
                                     const TextRequest& request);

}  // namespace Atoll::graph
