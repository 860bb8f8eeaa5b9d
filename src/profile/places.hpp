// Places of threads: the node that each thread's accesses count for. The machine to analyse may
// differ from the one that the profile was recorded on [hashsieve §V.B].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

struct Places {
  std::vector<NodeId> nodes;                    ///< memories next to processing units, ascending
  std::vector<std::uint32_t> nodes_of_threads;  ///< by thread: position in `nodes`
  std::vector<int> pus_of_threads;
  bool recorded = false;  ///< some threads are where the program bound them
  /// Placement of the pages of one of Recording::homes. They are interleaved by page number over
  /// the nodes of `turn`. If `turn` is empty, they are on the node that `near` has for the thread's
  /// node.
  struct Home {
    bool is_known = true;  ///< if false, pages are interleaved over all nodes
    std::uint32_t thread = 0;
    std::vector<std::uint32_t> turn, near;
    friend bool operator==(const Home&, const Home&) = default;
  };
  std::vector<Home> homes;
  /// Returns the node of a page, as a position in `nodes`. `first_touch` is a thread or, from the
  /// number of threads on, a home.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t first_touch, std::uint64_t page) const {
    if (first_touch < nodes_of_threads.size()) return nodes_of_threads[first_touch];
    const Home& home = homes[first_touch - nodes_of_threads.size()];
    return home.turn.empty() ? home.near[nodes_of_threads[home.thread]]
                             : home.turn[page % home.turn.size()];
  }
  /// Returns the thread that touched a page first, or the thread whose memory policy its home is.
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t first_touch) const {
    return first_touch < nodes_of_threads.size()
               ? first_touch
               : homes[first_touch - nodes_of_threads.size()].thread;
  }
  /// Returns false if the node of a page with this first touch is unknown.
  [[nodiscard]] bool knows_node(std::uint32_t first_touch) const {
    return first_touch < nodes_of_threads.size() ||
           homes[first_touch - nodes_of_threads.size()].is_known;
  }
  friend bool operator==(const Places&, const Places&) = default;
};

/// Places threads that live at the same time in blocks of consecutive numbers, with equally many on
/// each node. A new thread gets the lowest free number. If `machine` is the one that the profile
/// was recorded on, threads that the program bound to a processing unit stay there.
[[nodiscard]] Places places_of(const Profile& profile, const Machine& machine);
/// Places consecutive threads on neighbouring cores, one core for each thread, and fills one node
/// before the next: the paper's Compact [hashsieve §VI.A].
[[nodiscard]] Places compact_places_of(const Profile& profile, const Machine& machine);
/// Places each thread as in `places`. Its accesses count for the memory next to its node.
[[nodiscard]] Places places_on(const Machine& machine, const ThreadPlaces& places);

/// Returns the machine to analyse for. `what` is as for Machine::open. "" means this computer or,
/// if it has only one node, the four-node machine of the HashSieve paper.
[[nodiscard]] Machine machine_to_analyse(const std::string& what);
/// True if the profile was recorded on a computer like `machine`, or if the profile doesn't have
/// its machine.
[[nodiscard]] bool recorded_on(const Profile& profile, const Machine& machine);

}  // namespace Atoll::profile
