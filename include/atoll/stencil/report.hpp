// Times and bytes of each loop, and the paper's average bandwidth [out-of-core §5.1].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::stencil {

/// All calls of one loop, by its name.
struct LoopReport {
  std::string name;
  std::uint64_t calls = 0;   ///< how often it was queued and run
  std::uint64_t points = 0;  ///< that it ran for, in all calls
  /// One element for each point and field that is read or written, two for one that is both.
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< all threads together
};

/// A program's loops, in the order in which they were first run.
struct Report {
  std::vector<LoopReport> loops;
  int threads = 1;

  /// Bytes of all loops by the seconds of the threads' work, times the threads: the paper's average
  /// bandwidth, in bytes a second. 0 if nothing was run.
  [[nodiscard]] double bytes_per_second() const;
};

/// A table: calls, points, bytes, ns a point and GB/s of each loop, and the average bandwidth.
[[nodiscard]] std::string to_string(const Report& report);

}  // namespace Atoll::stencil
