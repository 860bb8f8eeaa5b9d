// KONECT's bipartite graphs: "% bip WEIGHTS", "% edges left right" if the sizes are known, then an
// edge list. The nodes of both sides count from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/load_text.hpp"

namespace Atoll::graph {

struct KonectHead {
  bool merged = false;  ///< a line may stand for several edges, so their number isn't checked
  struct Sizes {
    std::uint64_t edges = 0, left = 0, right = 0;
  };
  std::optional<Sizes> sizes;
};

/// True if the text begins with "% bip".
[[nodiscard]] bool is_konect_bipartite(std::string_view head);
/// Takes the one or two lines of the head off the text.
[[nodiscard]] KonectHead take_konect_head(TextReader& reader);
/// Makes a graph whose edges lead from the left nodes, which come first, to the right ones. Throws
/// Error (input) for the first line that is wrong.
[[nodiscard]] ParsedText parse_konect_bipartite(TextReader& reader, const Team& team,
                                                const TextRequest& request);

}  // namespace Atoll::graph
