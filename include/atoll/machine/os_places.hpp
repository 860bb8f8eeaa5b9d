// The places that the operating system is assumed to give a program's threads that nothing binds.
// Reports, advice and simulation all assume these.
#pragma once

#include <span>
#include <string>

#include "atoll/machine/thread_places.hpp"

namespace Atoll {

/// Spreads threads as Linux does on an idle machine: over nodes, over the last-level caches of a
/// node, and over cores before two threads share one. As many are on each as on any other (±1), and
/// neighbours have consecutive numbers. `threads` is 1 or more. More threads than processing units
/// wrap around.
[[nodiscard]] ThreadPlaces os_places(const Machine& machine, int threads);

/// Returns "threads 0-2 on node 0, 3-4 on node 1", given the node of each thread.
[[nodiscard]] std::string threads_by_node(std::span<const NodeId> nodes);

}  // namespace Atoll
