// KONECT's bipartite graphs: "% bip WEIGHTS", optionally "% edges left right" with the sizes, then
// an edge list. The nodes of each side are numbered from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/load_text.hpp"

namespace Atoll::graph {

struct KonectHead {
  bool merged = false;  ///< a line may represent several edges, so their number isn't checked
  struct Sizes {
    std::uint64_t edges = 0, left = 0, right = 0;
  };
  std::optional<Sizes> sizes;
};

/// True if the text begins with "% bip".
[[nodiscard]] bool is_konect_bipartite(std::string_view head);
/// Consumes the one or two header lines.
[[nodiscard]] KonectHead take_konect_head(TextReader& reader);
/// Makes a graph whose edges lead from left to right nodes; the left nodes have the lower numbers.
/// Throws Error (input) that names the first wrong line.
[[nodiscard]] ParsedText parse_konect_bipartite(TextReader& reader, const Team& team,
                                                const TextRequest& request);

}  // namespace Atoll::graph
