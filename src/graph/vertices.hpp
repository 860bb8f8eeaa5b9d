// The file of node ids (LDBC's graphs have one), which also lists nodes without edges.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "atoll/threads/team.hpp"
#include "graph/load_text.hpp"
#include "graph/renumber.hpp"

namespace Atoll::graph {

/// Reads the first field of each line of request.text.vertices. `chunks` has a pair of each node
/// with itself. Returns an empty text if the request names no such file.
[[nodiscard]] ParsedText read_vertices(const Team& team, const TextRequest& request);

/// Throws Error (input) unless each end of `edges` (node numbers) is in text.vertices. `label`
/// returns the name of a node; `name` is the text's name.
void check_vertices(const ParsedText& text, const PairSpans& edges, const Team& team,
                    const std::string& name, const TextRequest& request,
                    const std::function<std::string(std::uint64_t node)>& label);

}  // namespace Atoll::graph
