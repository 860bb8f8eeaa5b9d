// How much each memory can still give. This is the one figure that the machine shows, policies plan
// with, and `memory` keeps to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "atoll/machine/place.hpp"

namespace Atoll {

/// How much memory may still be taken without the system killing any process for it. File cache
/// that can be reclaimed counts as available. Pages of pools that were set aside (hugetlb) are
/// counted apart: of a pool, the pages that aren't in use are available.
struct Available {
  /// Available bytes of each node that this process may use, without the reserve that the system
  /// keeps.
  std::map<NodeId, std::uint64_t> bytes_by_node;
  std::uint64_t bytes_in_all = 0;           ///< of all these nodes together
  std::uint64_t cgroup_bytes = UINT64_MAX;  ///< what the cgroups still allow

  /// What all nodes together can give.
  [[nodiscard]] std::uint64_t in_all() const { return std::min(bytes_in_all, cgroup_bytes); }
  /// What the node can give if nothing is taken elsewhere; 0 if the node can't be used.
  [[nodiscard]] std::uint64_t on(NodeId node) const {
    const auto found = bytes_by_node.find(node);
    return found == bytes_by_node.end() ? 0 : std::min(found->second, in_all());
  }
};

}  // namespace Atoll
