// The traffic that reaches memory, by phases of the run: what private caches miss, less what the
// last-level caches of the threads' places have (docs/analyses.md, "Predicted time").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/traffic_load.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// How a run is divided for predictions.
enum class Division {
  phases,  ///< epochs in which threads do the same are one phase
  epochs   ///< each epoch by itself
};

struct MemoryTraffic {
  /// Lines that threads of one node read from memory, of one row of PagesByNode, in one phase.
  struct Entry {
    std::uint16_t phase = 0, node = 0;
    float lines = 0;
    float written = 0;  ///< of these, lines that are written back later
    float waits = 0;    ///< lines by how many the threads have under way
    float random = 0;   ///< of `lines`, those that no stream reads
    float moved = 0;    ///< lines that come from another last-level cache; twice if also written
    float passed = 0;   ///< of these, what the other cache wrote before, once
  };
  std::size_t nodes = 0, phases = 0;
  std::vector<Entry> entries;      ///< by row
  std::vector<std::size_t> begin;  ///< of each row's entries, and the end
  std::vector<std::uint16_t> phase_of_epoch;
  /// By epoch: epochs of its phase in which each of the phase's threads runs.
  std::vector<std::size_t> window_of_epoch;
  std::vector<bool> is_alone;                     ///< by phase: one thread has nearly all traffic
  std::vector<std::uint16_t> first_phase;         ///< by row: of its first access
  std::vector<std::vector<double>> busiest_part;  ///< by phase and node: of its threads' waits
  /// By phase and node: seconds that its busiest thread spends on accesses that caches serve, and
  /// on page faults.
  std::vector<std::vector<double>> work;

  [[nodiscard]] std::span<const Entry> of(std::size_t row) const {
    return std::span(entries).subspan(begin[row], begin[row + 1] - begin[row]);
  }
};

/// True if the system gives the object a page of 2 MiB around this page of 4 KiB.
[[nodiscard]] bool can_be_huge(const trace::Object& object, std::uint64_t page);

/// `pages` are pages_by_node(profile, places). Of a sampled profile all traffic reaches memory, in
/// one phase, since samples tell neither lines nor phases.
[[nodiscard]] MemoryTraffic memory_traffic(const Profile& profile, const Machine& machine,
                                           const Places& places, const PagesByNode& pages,
                                           Division division = Division::phases);

}  // namespace Atoll::profile
