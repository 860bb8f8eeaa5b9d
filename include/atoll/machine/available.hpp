// The available memory of each node. Reports, policies and the module `memory` all use this figure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "atoll/machine/place.hpp"

namespace Atoll {

/// The memory that can still be allocated before the system kills a process. Reclaimable file cache
/// counts as available. Pools of huge pages (hugetlb) are counted separately: the unused pages of a
/// pool are available.
struct Available {
  /// Available bytes of each node that this process may use, excluding the system's reserve.
  std::map<NodeId, std::uint64_t> bytes_by_node;
  std::uint64_t bytes_in_all = 0;           ///< available bytes of these nodes together
  std::uint64_t cgroup_bytes = UINT64_MAX;  ///< bytes that the cgroups still allow

  /// Returns the bytes that all nodes together can provide.
  [[nodiscard]] std::uint64_t in_all() const { return std::min(bytes_in_all, cgroup_bytes); }
  /// Returns the bytes that the node can provide if nothing is allocated elsewhere; 0 if it isn't
  /// usable.
  [[nodiscard]] std::uint64_t on(NodeId node) const {
    const auto found = bytes_by_node.find(node);
    return found == bytes_by_node.end() ? 0 : std::min(found->second, in_all());
  }
};

}  // namespace Atoll
