// The assumed processing units of a program's threads that aren't pinned. Reports, advice and
// simulation use the same assumption.
#pragma once

#include <span>
#include <string>

#include "atoll/machine/thread_places.hpp"

namespace Atoll {

/// Distributes threads as Linux does on an idle machine: evenly (±1) over nodes, then over the
/// last-level caches of a node, and over cores before two threads share a core. Neighbouring
/// threads have consecutive numbers. `threads` is at least 1. Threads in excess of the processing
/// units wrap around.
[[nodiscard]] ThreadPlaces os_places(const Machine& machine, int threads);

/// Returns "threads 0-2 on node 0, 3-4 on node 1", given the node of each thread.
[[nodiscard]] std::string threads_by_node(std::span<const NodeId> nodes);

}  // namespace Atoll
