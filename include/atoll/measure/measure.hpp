// Measures what this computer's memories cost: latency and bandwidths from the processing units of
// each node to each memory, without root. docs/measure.md says how, and how it compares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::measure {

/// How much to measure, and how long.
struct Options {
  /// How much of each memory is measured at a time, rounded up to 4 MiB. 0 means four times the
  /// caches around the initiator's processing units, as STREAM asks for, or at least twice if
  /// memory is short. It never takes more than half of what is available.
  std::uint64_t buffer_bytes = 0;
  /// The time for trials of each figure; the best trial counts. There are at least three.
  double seconds_a_figure = 0.5;
  memory::Backend& backend = memory::system_backend();
};

/// A memory that keeps its old figures, and why.
struct Unmeasured {
  NodeId memory;
  std::string why;
};

/// What was measured.
struct Result {
  Machine machine;  ///< the given machine, with figures of Origin::measured in its links
  std::vector<Unmeasured> unmeasured;
  /// The time of the threads' processing units that others took in the trials that count: the worst
  /// of them. Beyond a few hundredths, figures of several threads are too low: measure again.
  double taken_by_others = 0;
};

/// `machine` is this computer: threads are pinned to its processing units, and pages are placed on
/// its nodes and their place is checked. All threads of a link's figures run one on a core. Shows
/// progress on a terminal. Throws Error (failed) if no memory could be measured, or a thread could
/// not be pinned. It can't be called from within a Team's run().
[[nodiscard]] Result measure_links(const Machine& machine, const Options& options = {});

}  // namespace Atoll::measure
