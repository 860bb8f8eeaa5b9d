// Time and bytes of each loop, and the average bandwidth of the paper [out-of-core §5.1].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::stencil {

/// Totals of all calls of the loops with one name.
struct LoopReport {
  std::string name;
  std::uint64_t calls = 0;   ///< number of runs
  std::uint64_t points = 0;  ///< points executed in all runs
  /// One element for each point and field that is read or written; two if it is both.
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< summed over all threads
};

/// Loops of a program, in the order of their first run.
struct Report {
  std::vector<LoopReport> loops;
  int threads = 1;

  /// Returns the average bandwidth of the paper in bytes per second: bytes of all loops divided by
  /// the threads' seconds, times the number of threads. 0 if no loop ran.
  [[nodiscard]] double bytes_per_second() const;
};

/// Returns a table: calls, points, bytes, ns per point and GB/s of each loop, and the average
/// bandwidth.
[[nodiscard]] std::string to_string(const Report& report);

}  // namespace Atoll::stencil
