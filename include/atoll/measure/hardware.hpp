// Measures what is inside this computer's places: cores, caches, TLBs, page walks, faults.
// docs/measure.md says how.
#pragma once

#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::measure {

/// How much to measure.
struct HardwareOptions {
  /// The largest working set, in bytes; 0: eight times the level 3 cache as far as this computer
  /// has room, at least 256 MiB.
  std::uint64_t most_bytes = 0;
  /// The time for each of about a hundred readings; the best of at least three trials counts.
  double seconds_a_reading = 0.1;
};

/// What was measured.
struct HardwareResult {
  Machine machine;                 ///< the given machine, with figures of Origin::measured
  std::vector<std::string> notes;  ///< what couldn't be measured, and why, a line each
};

/// `machine` is this computer, with its links measured or not: the bandwidth of one thread tells
/// how many lines are fetched ahead, where it is measured. Runs on the first two cores. Throws
/// Error (failed) if there isn't enough memory, or a thread could not be pinned.
[[nodiscard]] HardwareResult measure_hardware(const Machine& machine,
                                              const HardwareOptions& options = {});

}  // namespace Atoll::measure
