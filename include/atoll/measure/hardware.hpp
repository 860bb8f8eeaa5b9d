// Measures this computer's cores, caches, TLBs, page walks and page faults. The method is in
// docs/measure.md.
#pragma once

#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::measure {

/// Options of measure_hardware().
struct HardwareOptions {
  /// Largest working set, in bytes. 0 means eight times the level 3 cache and at least 256 MiB, as
  /// far as memory is available.
  std::uint64_t most_bytes = 0;
  /// Duration of each of about a hundred readings, in seconds. The best of at least three trials is
  /// used.
  double seconds_a_reading = 0.1;
};

/// Result of measure_hardware().
struct HardwareResult {
  Machine machine;                 ///< the given machine, with figures of Origin::measured
  std::vector<std::string> notes;  ///< figures that couldn't be measured, with the reason
};

/// `machine` is this computer; its links may be unmeasured. (The figure prefetch_lines requires the
/// measured bandwidth of one thread.) Runs on the cores of the first level 3 cache. Throws Error
/// (failed) if there isn't enough memory or a thread can't be pinned.
[[nodiscard]] HardwareResult measure_hardware(const Machine& machine,
                                              const HardwareOptions& options = {});

}  // namespace Atoll::measure
