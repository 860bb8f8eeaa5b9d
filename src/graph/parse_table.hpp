// Tables: lines of fields between commas, semicolons, tabs or blanks, of which two columns are an
// edge's ends.
#pragma once

#include "graph/load_text.hpp"

namespace Atoll::graph {

/// request.text.from and .to say the columns; if they are no numbers, the first line names them.
[[nodiscard]] ParsedText parse_table(TextReader& reader, const Team& team,
                                     const TextRequest& request);

}  // namespace Atoll::graph
