// What this computer's memories cost, measured: latency and bandwidths from the processing units of
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
  /// What is measured at a time of each memory, rounded up to 4 MiB. 0: four times the caches
  /// around the initiator's processing units, as STREAM asks for, or at least twice where memory is
  /// short. Never more than half of what is available is taken.
  std::uint64_t buffer_bytes = 0;
  /// Of trials for each figure, of which the best counts; at least three trials.
  double seconds_a_figure = 0.5;
  memory::Backend& backend = memory::system_backend();
};

/// A memory whose figures stay what they were, and why.
struct Unmeasured {
  NodeId memory;
  std::string why;
};

/// What was measured.
struct Result {
  Machine machine;  ///< the one that was given, with figures of Origin::measured in its links
  std::vector<Unmeasured> unmeasured;
  /// What others took of the threads' processing units in those trials that count, in the worst of
  /// them. Beyond a few hundredths figures of several threads are too low: measure again.
  double taken_by_others = 0;
};

/// `machine` is this computer: threads are pinned to its processing units, pages placed on its
/// nodes and looked for there again. All threads of a link's figures are one a core. Shows progress
/// on a terminal. Throws Error (failed) if no memory could be measured, or a thread not be pinned.
/// Not from within a Team's run().
[[nodiscard]] Result measure_links(const Machine& machine, const Options& options = {});

}  // namespace Atoll::measure
