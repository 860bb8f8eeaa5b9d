// Random numbers as PARSEC's program draws them: POSIX's lrand48() after srand48(1).
#pragma once

#include <climits>
#include <cstdlib>

namespace streamcluster {

/// One sequence of draws. One thread uses it at a time.
class Draws {
 public:
  /// The next of 2^31 whole numbers from 0 on.
  [[nodiscard]] long whole() { return nrand48(state_); }
  /// The next number from 0 to 1. A float has fewer digits than lrand48(), so it can be 1.
  [[nodiscard]] float unit() { return static_cast<float>(whole()) / static_cast<float>(INT_MAX); }

 private:
  unsigned short state_[3] = {0x330e, 1, 0};  // what srand48(1) sets
};

}  // namespace streamcluster
