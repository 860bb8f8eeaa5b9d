// NIL, the node or edge that doesn't exist.
#pragma once

#include <limits>

namespace Atoll::graph {

/// The greatest value of an id's type; a graph with ids of that width has no such node or edge.
template <class Id>
inline constexpr Id kNil = std::numeric_limits<Id>::max();

}  // namespace Atoll::graph
