// Predicted time of a program's accesses and set-up under a layout: the model that the policy
// `cost` minimises. docs/cost-model.md has its formulas, units, assumptions and known errors.
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

/// Assumed number of trips of a loop with an unknown trip count.
inline constexpr double kAssumedTrips = 20;
/// A thread's own work for one access, including cache hits.
inline constexpr double kAccessSeconds = 1e-9;
/// Time of the kernel to map one page, without zeroing it.
inline constexpr double kPageFaultSeconds = 500e-9;

/// Assumed number of entries of a core's last-level TLB, for a machine description without it. Most
/// server cores since 2015 have this many, and keep 4 KiB and 2 MiB pages in the same TLB.
inline constexpr double kTlbEntries = 1536;
inline constexpr double kTlbEntries1g = 16;
/// Size of a page table, in bytes, that a core's page-walk caches hold completely.
inline constexpr double kWalkCacheBytes = 256;
/// Time to read a page-table entry from a core's own cache, or from the shared cache.
inline constexpr double kNearEntrySeconds = 4e-9;
inline constexpr double kFarEntrySeconds = 20e-9;
/// Number of page walks of one core that overlap.
inline constexpr double kWalksInFlight = 2;

/// Partitioned arrays need a static schedule. Its last thread finishes later by this fraction.
inline constexpr double kStaticImbalance = 0.05;

/// Immutable; keeps a reference to `machine`. All times are in seconds of the whole team.
class CostModel {
 public:
  /// `team` isn't empty, and its nodes are initiators of the machine.
  CostModel(std::span<const ArrayRequest> requests, const Machine& machine,
            const ThreadPlaces& team, const Bindings& bindings);

  /// Returns the time of all accesses to array number `array` if it has this layout.
  [[nodiscard]] double access_seconds(std::size_t array, const Layout& layout) const;
  /// Returns the time to map the array's pages, and to fill them if its content is copied from
  /// another memory.
  [[nodiscard]] double setup_seconds(std::size_t array, const Layout& layout) const;
  [[nodiscard]] double seconds(std::size_t array, const Layout& layout) const {
    return access_seconds(array, layout) + setup_seconds(array, layout);
  }

  /// Returns the average time of a random access for address translation: TLB misses, each with a
  /// page walk. The page tables are in memory with a latency of `latency_seconds`.
  [[nodiscard]] double walk_seconds(std::uint64_t bytes, PageSize pages,
                                    double latency_seconds) const;

  /// Returns the fraction of the array that stays in the last-level caches, 0 to 1. It is the same
  /// for all layouts.
  [[nodiscard]] double cached(std::size_t array) const { return uses_[array].cached; }
  /// Returns the number of reads or writes of one access order in a whole run.
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
    std::vector<std::size_t> rank;     ///< by memory: its position in the ordering by latency

    [[nodiscard]] double size() const { return static_cast<double>(threads.size()); }
  };
  struct Use {
    std::uint64_t bytes = 0;
    double element_bytes = 0;
    bool filled = false;
    std::array<std::array<double, kOrders>, 2> counts{};  ///< [write][order]
    double cached = 0;
  };
  /// A memory's index and its fraction of an array's pages.
  struct Share {
    std::size_t memory;
    double part;
  };
  struct Traffic {
    double read = 0, written = 0;  ///< bytes
    double waits = 0;              ///< number of latencies that aren't hidden by other accesses
  };

  void find_nearest();
  void fill_caches(std::span<const ArrayRequest> requests);
  [[nodiscard]] double cache_instances() const;
  /// Adds the fraction `part` of a group's traffic, which is with one memory.
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
  std::vector<std::size_t> sources_;  ///< memories that content is copied from: one for each group
  std::vector<Use> uses_;
};

}  // namespace Atoll::detail
