// Traffic that reaches memory, by phase of the run: misses of private caches that also miss the
// last-level cache of the thread (docs/analyses.md, "Predicted time").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/traffic_load.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Division of a run's time for predictions.
enum class Division {
  phases,  ///< one phase for all epochs in which the same threads and object dominate
  epochs   ///< one phase for each epoch
};

struct MemoryTraffic {
  /// Traffic of one row of PagesByNode, in one phase, by threads of one node.
  struct Entry {
    std::uint16_t phase = 0, node = 0;
    float lines = 0;
    float written = 0;  ///< of `lines`, those that are written back later
    float waits = 0;    ///< lines divided by the number of lines that a thread has in flight
    float random = 0;   ///< of `lines`, those outside of streams
    float moved = 0;    ///< lines from another last-level cache; twice if also written
    float passed = 0;   ///< of `moved`, lines that the other cache has modified, counted once
  };
  std::size_t nodes = 0, phases = 0;
  std::vector<Entry> entries;      ///< by row
  std::vector<std::size_t> begin;  ///< by row: its first entry; one more for the end
  std::vector<std::uint16_t> phase_of_epoch;
  /// By epoch: number of epochs of its phase that together show each thread of the phase.
  std::vector<std::size_t> window_of_epoch;
  std::vector<bool> is_alone;                     ///< by phase: one thread has nearly all traffic
  std::vector<std::uint16_t> first_phase;         ///< by row: phase of its first access
  std::vector<std::vector<double>> busiest_part;  ///< by phase and node: busiest thread's share
  /// By phase and node: seconds that its busiest thread spends on accesses that hit in caches, and
  /// on page faults.
  std::vector<std::vector<double>> work;

  [[nodiscard]] std::span<const Entry> of(std::size_t row) const {
    return std::span(entries).subspan(begin[row], begin[row + 1] - begin[row]);
  }
};

/// True if Linux would map this 4 KiB page as part of a 2 MiB page: the object covers all of that.
[[nodiscard]] bool can_be_huge(const recording::Object& object, std::uint64_t page);

/// Computes the traffic; `pages` are pages_by_node(profile, places). For a sampled profile, all
/// traffic reaches memory, in one phase, since samples show neither lines nor phases.
[[nodiscard]] MemoryTraffic memory_traffic(const Profile& profile, const Machine& machine,
                                           const Places& places, const PagesByNode& pages,
                                           Division division = Division::phases);

}  // namespace Atoll::profile
