// DIMACS graphs: comments "c …", one line "p PROBLEM nodes edges", then a line for each edge, such
// as "a 1 2 803" or "e 1 2". Nodes are numbered from 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/load_text.hpp"

namespace Atoll::graph {

/// A file family, identified by the word after the "p".
struct DimacsProblem {
  std::string_view name;
  std::string_view edge_letter;
  int values;       ///< numbers after the two ends; LineFormat::kAnyNumber: unlimited
  bool undirected;  ///< each edge represents both directions
};

struct DimacsHead {
  const DimacsProblem* problem = nullptr;
  std::uint64_t nodes = 0, edges = 0;
};

/// True if the text begins with comments and a "p" line. If all of `head` is comments, either a
/// comment or the file name's ending must identify DIMACS.
[[nodiscard]] bool is_dimacs(std::string_view head, std::string_view name);
/// Consumes the comments and the "p" line. Throws Error (input) if there is no such line.
[[nodiscard]] DimacsHead take_dimacs_head(TextReader& reader);
/// Column 3 of an edge is the first number after its ends. Throws Error (input) that names the
/// first wrong line.
[[nodiscard]] ParsedText parse_dimacs(TextReader& reader, const Team& team,
                                      const TextRequest& request);

}  // namespace Atoll::graph
