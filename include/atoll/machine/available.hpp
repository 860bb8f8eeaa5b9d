// What memories can still give: the one figure that the machine shows, policies plan with and
// `memory` keeps to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "atoll/machine/place.hpp"

namespace Atoll {

/// What may still be taken without the system killing anyone for it. File cache that can be taken
/// back counts as available. Pools of pages that were set aside are memory apart: what is available
/// in one is what isn't in use of it.
struct Available {
  /// Of each node that this process may use; the reserve that the system keeps is left out.
  std::map<NodeId, std::uint64_t> bytes_by_node;
  std::uint64_t bytes_in_all = 0;           ///< of all these nodes together
  std::uint64_t cgroup_bytes = UINT64_MAX;  ///< what the cgroups still allow

  /// What all of it can give together.
  [[nodiscard]] std::uint64_t in_all() const { return std::min(bytes_in_all, cgroup_bytes); }
  /// What the node can give if nothing is taken elsewhere; 0 for one that can't be used.
  [[nodiscard]] std::uint64_t on(NodeId node) const {
    const auto found = bytes_by_node.find(node);
    return found == bytes_by_node.end() ? 0 : std::min(found->second, in_all());
  }
};

}  // namespace Atoll
