// The node that each thread's accesses count for. Analyses are for a machine that may differ from
// the one that the profile was recorded on [hashsieve §V.B].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

struct Places {
  std::vector<NodeId> nodes;  ///< memories that lie next to processing units, ascending
  std::vector<std::uint32_t> nodes_of_threads;  ///< positions in `nodes`, by thread
  std::vector<int> pus_of_threads;
  bool recorded = false;  ///< some threads are where the program bound them
  friend bool operator==(const Places&, const Places&) = default;
};

/// Places threads that live at one time in blocks of neighbours, as many on each node as on any
/// other. A thread that starts takes the least free number. Threads that the program bound to a
/// processing unit stay there if `machine` is the one that the profile was recorded on.
[[nodiscard]] Places places_of(const Profile& profile, const Machine& machine);
/// Places neighbouring threads on neighbouring cores, as many cores as there are threads, and fills
/// one node before the next: the paper's Compact [hashsieve §VI.A].
[[nodiscard]] Places compact_places_of(const Profile& profile, const Machine& machine);
/// Places each thread as `places` says. A thread counts for the memory next to its node.
[[nodiscard]] Places places_on(const Machine& machine, const ThreadPlaces& places);

/// Returns the machine to analyse for. `what` is as for Machine::open; "" is this computer or, if
/// it has only one node, the four-node machine of the HashSieve paper.
[[nodiscard]] Machine machine_to_analyse(const std::string& what);
/// True if the profile was recorded on a computer like `machine`, or if that isn't known.
[[nodiscard]] bool recorded_on(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
