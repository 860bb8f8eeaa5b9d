// CPU time in tests. A limit is given as the CPU time of other work, because computers differ in
// speed.
#pragma once

#include <ctime>

namespace Atoll {

/// Returns the CPU time of the work, in seconds.
template <typename Work>
double processor_seconds(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace Atoll
