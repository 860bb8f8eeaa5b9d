// Processor time in tests. It is compared with that of other work, as computers differ.
#pragma once

#include <ctime>

namespace Atoll {

/// The processor time that the work takes, in seconds.
template <typename Work>
double processor_seconds(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace Atoll
