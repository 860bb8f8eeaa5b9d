// The nodes that a user names as fast memory, and the others.
#pragma once

#include <string_view>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::stencil {

struct FastNodes {
  std::vector<NodeId> fast;
  std::vector<NodeId> slow;  ///< the same if the machine has no others
};

/// `text` is a tier, such as "hbm", or a list of nodes, such as "2-3". Throws Error (input) if the
/// machine lacks it.
[[nodiscard]] FastNodes fast_nodes(const Machine& machine, std::string_view text);

}  // namespace Atoll::stencil
