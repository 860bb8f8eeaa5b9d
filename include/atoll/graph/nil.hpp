// NIL: the id that means "no node" or "no edge".
#pragma once

#include <limits>

namespace Atoll::graph {

/// The greatest value of an id's type. Graphs with ids of that width don't use it.
template <class Id>
inline constexpr Id kNil = std::numeric_limits<Id>::max();

}  // namespace Atoll::graph
