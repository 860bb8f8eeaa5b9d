// Random numbers as in PARSEC's program: POSIX's lrand48() after srand48(1).
#pragma once

#include <climits>
#include <cstdlib>

namespace streamcluster {

/// A sequence of random numbers. Not thread-safe.
class Draws {
 public:
  /// Returns the next integer, 0 to 2^31 - 1.
  [[nodiscard]] long whole() { return nrand48(state_); }
  /// Returns the next number from 0 to 1. A float has fewer digits than lrand48(), so 1 is
  /// possible.
  [[nodiscard]] float unit() { return static_cast<float>(whole()) / static_cast<float>(INT_MAX); }

 private:
  unsigned short state_[3] = {0x330e, 1, 0};  // state after srand48(1)
};

}  // namespace streamcluster
