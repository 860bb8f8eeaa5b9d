// Pages of files that were in the page cache before the program mapped them. Their nodes are
// unknown, so all analyses assume that they are interleaved over all nodes.
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

/// Returns the pages with unknown nodes by object, with the recording's numbers.
[[nodiscard]] std::vector<UnknownNodes> unknown_nodes(const PagesByNode& pages,
                                                      const Places& places, std::size_t objects);
/// Returns the pages of the program with unknown nodes. A page of several objects counts once.
[[nodiscard]] UnknownNodes unknown_nodes(const Summary& summary);
/// Returns a sentence for the verdict; "" if all nodes are known, or if the pages have little
/// traffic.
[[nodiscard]] std::string unknown_nodes_in_words(const Summary& summary);

}  // namespace Atoll::profile
