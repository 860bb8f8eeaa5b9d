// Measures this computer's memories without root: latency and bandwidths from each node's
// processing units to each memory. The method and comparisons are in docs/measure.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::measure {

/// Options of measure_links().
struct Options {
  /// Size of the buffer in each memory, rounded up to 4 MiB. 0 means four times the caches around
  /// the initiator's processing units, as STREAM requires, or at least twice if memory is short.
  /// Never more than half of the available memory.
  std::uint64_t buffer_bytes = 0;
  /// Duration of the trials of each figure, in seconds. The best of at least three trials is used.
  double seconds_a_figure = 0.5;
  memory::Backend& backend = memory::system_backend();
};

/// A memory that keeps its old figures, and the reason.
struct Unmeasured {
  NodeId memory;
  std::string why;
};

/// Result of measure_links().
struct Result {
  Machine machine;  ///< the given machine, with figures of Origin::measured in its links
  std::vector<Unmeasured> unmeasured;
  /// Largest share of the threads' time, in the trials used, in which other programs ran on their
  /// processing units. Above a few hundredths, figures of several threads are too low: measure
  /// again.
  double taken_by_others = 0;
};

/// `machine` is this computer. Threads are pinned to its processing units, one per core. Pages are
/// placed on its nodes, and their placement is verified. Shows progress on a terminal. Throws Error
/// (failed) if no memory could be measured or a thread can't be pinned. Must not be called from
/// within a Team's run().
[[nodiscard]] Result measure_links(const Machine& machine, const Options& options = {});

}  // namespace Atoll::measure
