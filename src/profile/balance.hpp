// Balance [hashsieve §V.A.3]: how pages and accesses spread over the nodes when each page lies
// where it is touched first.
#pragma once

#include <vector>

#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

struct Balance {
  std::vector<std::uint64_t> pages;     ///< by node
  std::vector<std::uint64_t> accesses;  ///< by the node that serves them
  friend bool operator==(const Balance&, const Balance&) = default;
};

struct Balances {
  Balance program;
  std::vector<Balance> of_objects;  ///< a page of two objects counts as a page of both
};

[[nodiscard]] Balances balance(const PagesByNode& pages, const Places& places, std::size_t objects);

}  // namespace Atoll::profile
