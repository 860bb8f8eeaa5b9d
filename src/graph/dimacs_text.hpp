// DIMACS graphs: comments "c …", one line "p PROBLEM nodes edges", then a line for each edge. It
// begins with a letter, "a 1 2 803" or "e 1 2"; nodes count from 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/load_text.hpp"

namespace Atoll::graph {

/// The family of files with one word behind the "p".
struct DimacsProblem {
  std::string_view name;
  std::string_view edge_letter;
  int values;       ///< numbers behind the two ends; LineFormat::kAnyNumber: any number of them
  bool undirected;  ///< each edge stands for both directions
};

struct DimacsHead {
  const DimacsProblem* problem = nullptr;
  std::uint64_t nodes = 0, edges = 0;
};

/// True if the text begins with comments and a "p" line. If all of `head` is comments, they or the
/// ending of the name must be those of DIMACS.
[[nodiscard]] bool is_dimacs(std::string_view head, std::string_view name);
/// Takes the comments and the "p" line off the text. Throws Error (input) if there is no such line.
[[nodiscard]] DimacsHead take_dimacs_head(TextReader& reader);
/// Column 3 of an edge is the first number behind its ends. Throws Error (input) for the first line
/// that is wrong.
[[nodiscard]] ParsedText parse_dimacs(TextReader& reader, const Team& team,
                                      const TextRequest& request);

}  // namespace Atoll::graph
