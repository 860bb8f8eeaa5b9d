// Balance [hashsieve §V.A.3]: distribution of pages and accesses over the nodes if each page is on
// the node that touches it first.
#pragma once

#include <vector>

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

struct Balance {
  std::vector<std::uint64_t> pages;     ///< by node
  std::vector<std::uint64_t> accesses;  ///< by node of the memory
  friend bool operator==(const Balance&, const Balance&) = default;
};

struct Balances {
  Balance program;
  std::vector<Balance> of_objects;  ///< a page that two objects share counts for both
};

[[nodiscard]] Balances balance(const PagesByNode& pages, const Places& places, std::size_t objects);

}  // namespace Atoll::profile
