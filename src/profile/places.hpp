// Which node each thread's accesses count for: analyses are for a machine, which need not be the
// one that the profile was recorded on [hashsieve §V.B].
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

/// Threads that live at one time in blocks of neighbours, as many on each node as on any other: one
/// that starts takes the least free number. But those that the
/// program bound to a processing unit are there, if `machine` is the one it was recorded on.
[[nodiscard]] Places places_of(const Profile& profile, const Machine& machine);
/// Neighbouring threads on neighbouring cores, as many cores as there are threads, one node filled
/// before the next: the paper's Compact [hashsieve §VI.A].
[[nodiscard]] Places compact_places_of(const Profile& profile, const Machine& machine);
/// Each thread where `places` says. A thread counts for the memory next to its node.
[[nodiscard]] Places places_on(const Machine& machine, const ThreadPlaces& places);

/// The machine to analyse for: `what` as Machine::open has it. "" is this computer, or, where it
/// has one node, the four-node machine of the HashSieve paper.
[[nodiscard]] Machine machine_to_analyse(const std::string& what);
/// Whether the profile was recorded on a computer like `machine`; true if that isn't known.
[[nodiscard]] bool recorded_on(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
