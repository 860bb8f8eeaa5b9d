// A second file with the ids of nodes, as LDBC's graphs have one: some nodes may have no edge.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "atoll/threads/team.hpp"
#include "graph/load_text.hpp"
#include "graph/renumber.hpp"

namespace Atoll::graph {

/// Reads the first field of each line of the file request.text.vertices: `chunks` has pairs of a
/// node with itself. Returns an empty text if there is no such file in the request.
[[nodiscard]] ParsedText read_vertices(const Team& team, const TextRequest& request);

/// Throws Error (input) unless each end of `edges`, numbers of nodes, is in text.vertices. `label`
/// names a node, `name` the text.
void check_vertices(const ParsedText& text, const PairSpans& edges, const Team& team,
                    const std::string& name, const TextRequest& request,
                    const std::function<std::string(std::uint64_t node)>& label);

}  // namespace Atoll::graph
