// What a layout costs a program: the model that the policy `cost` minimises. docs/cost-model.md has
// its formulas, units and assumptions, and says where it is known to be wrong.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/plan/choose_layouts.hpp"
#include "atoll/plan/layout.hpp"
#include "plan/footprint.hpp"
#include "plan/traffic_load.hpp"

namespace Atoll::detail {

/// The assumed number of trips of a loop whose trip count isn't known.
inline constexpr double kAssumedTrips = 20;
/// A thread's own work for an access, the cache's part included.
inline constexpr double kAccessSeconds = 1e-9;
/// The system's work to map one page, zeroing left out.
inline constexpr double kPageFaultSeconds = 500e-9;

/// Entries of a core's last-level TLB if the machine doesn't say. Most server cores since 2015 have
/// these, and keep 4 KiB and 2 MiB pages in one TLB.
inline constexpr double kTlbEntries = 1536;
inline constexpr double kTlbEntries1g = 16;
/// Tables that lead to so few pages are in a core's own walk caches.
inline constexpr double kWalkCacheBytes = 256;
/// The time to read an entry of a page table from a core's own cache, or from the shared one.
inline constexpr double kNearEntrySeconds = 4e-9;
inline constexpr double kFarEntrySeconds = 20e-9;
/// Page walks that one core has under way at the same time.
inline constexpr double kWalksInFlight = 2;

/// Partitioned arrays need a static schedule. Its last thread finishes so much later.
inline constexpr double kStaticImbalance = 0.05;

/// Immutable; keeps a reference to `machine`. All times are in seconds of the whole team.
class CostModel {
 public:
  /// `team` isn't empty, and its nodes are initiators of the machine.
  CostModel(std::span<const ArrayRequest> requests, const Machine& machine,
            const ThreadPlaces& team, const Bindings& bindings);

  /// The time of all accesses to the array with this number, if it has this layout.
  [[nodiscard]] double access_seconds(std::size_t array, const Layout& layout) const;
  /// The time to map the array's pages, and to fill them if its content comes from elsewhere.
  [[nodiscard]] double setup_seconds(std::size_t array, const Layout& layout) const;
  [[nodiscard]] double seconds(std::size_t array, const Layout& layout) const {
    return access_seconds(array, layout) + setup_seconds(array, layout);
  }

  /// The average time that one random access spends on finding the page: the TLB's misses, each a
  /// walk through the page tables, which lie in memory that is `latency_seconds` away.
  [[nodiscard]] double walk_seconds(std::uint64_t bytes, PageSize pages,
                                    double latency_seconds) const;

  /// The part of the array that stays in the last-level caches, 0 to 1. It is the same for all
  /// layouts.
  [[nodiscard]] double cached(std::size_t array) const { return uses_[array].cached; }
  /// The number of reads or writes of one order in a whole run.
  [[nodiscard]] double count(std::size_t array, bool write, Order order) const {
    return uses_[array].counts[write][static_cast<std::size_t>(order)];
  }

 private:
  static constexpr std::size_t kOrders = 4;

  /// The threads of one node.
  struct Group {
    NodeId node;
    std::size_t place;                 ///< the node's index among the initiators
    std::vector<std::size_t> threads;  ///< their numbers in the team
    std::vector<std::size_t> rank;  ///< by memory: the memory's position in the ordering by latency

    [[nodiscard]] double size() const { return static_cast<double>(threads.size()); }
  };
  struct Use {
    std::uint64_t bytes = 0;
    double element_bytes = 0;
    bool filled = false;
    std::array<std::array<double, kOrders>, 2> counts{};  ///< [write][order]
    double cached = 0;
  };
  /// A memory's index and its part of an array's pages.
  struct Share {
    std::size_t memory;
    double part;
  };
  struct Traffic {
    double read = 0, written = 0;  ///< bytes
    double waits = 0;              ///< latencies that other accesses don't hide
  };

  void find_nearest();
  void fill_caches(std::span<const ArrayRequest> requests);
  [[nodiscard]] double cache_instances() const;
  /// Adds a part of a group's traffic, which goes to a memory.
  static void add(TrafficLoad& load, const Group& group, std::size_t memory, const Traffic& traffic,
                  double part);
  [[nodiscard]] std::vector<Share> spread(const Layout& layout, std::uint64_t bytes) const;
  [[nodiscard]] std::array<Traffic, 2> traffic(const Use& use, const Group& group) const;

  const Machine& machine_;
  MachineLinks links_;
  std::size_t threads_;
  double line_bytes_;
  std::vector<Group> groups_;         ///< nodes with threads, ascending
  std::vector<std::size_t> nearest_;  ///< by memory: the group that sets up the pages on it
  std::vector<std::size_t> sources_;  ///< memories that content comes from: one for each group
  std::vector<Use> uses_;
};

}  // namespace Atoll::detail
