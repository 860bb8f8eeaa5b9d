// Pages of files that the page cache had before the program mapped them. Nobody knows on which
// nodes they are, and all analyses take all nodes to have them in turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/summary.hpp"

namespace Atoll::profile {

struct UnknownNodes {
  std::uint64_t pages = 0;
  std::uint64_t traffic = 0;  ///< to these pages
};

/// By object, as the recording numbers them.
[[nodiscard]] std::vector<UnknownNodes> unknown_nodes(const PagesByNode& pages,
                                                      const Places& places, std::size_t objects);
/// Of the program. A page of several objects counts once.
[[nodiscard]] UnknownNodes unknown_nodes(const Summary& summary);
/// A sentence for the verdict; "" if all nodes are known, or the pages matter little.
[[nodiscard]] std::string unknown_nodes_in_words(const Summary& summary);

}  // namespace Atoll::profile
