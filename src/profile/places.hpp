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
  /// Where pages of one of Recording::homes are: in turn by page on the nodes of `turn` or, if that
  /// is empty, on the node that `near` has for the thread's node.
  struct Home {
    bool is_known = true;  ///< false: in turn on all nodes, as nobody knows
    std::uint32_t thread = 0;
    std::vector<std::uint32_t> turn, near;
    friend bool operator==(const Home&, const Home&) = default;
  };
  std::vector<Home> homes;
  /// Returns the position in `nodes` of a page by its first touch, a thread or a home.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t first_touch, std::uint64_t page) const {
    if (first_touch < nodes_of_threads.size()) return nodes_of_threads[first_touch];
    const Home& home = homes[first_touch - nodes_of_threads.size()];
    return home.turn.empty() ? home.near[nodes_of_threads[home.thread]]
                             : home.turn[page % home.turn.size()];
  }
  /// Returns the thread that touched a page first, or whose policy its home is.
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t first_touch) const {
    return first_touch < nodes_of_threads.size()
               ? first_touch
               : homes[first_touch - nodes_of_threads.size()].thread;
  }
  /// Returns false if it isn't known on which node a page with that first touch is.
  [[nodiscard]] bool knows_node(std::uint32_t first_touch) const {
    return first_touch < nodes_of_threads.size() ||
           homes[first_touch - nodes_of_threads.size()].is_known;
  }
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
