// What is measured of one initiator and one memory, from how long chases and passes take.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/kernels.hpp"

namespace Atoll::measure {

struct Trial {
  double seconds = 0;
  double taken_by_others = 0;  ///< of the threads' time, the part in which others ran instead
};

/// What is timed; tests have one that knows its times.
class Probe {
 public:
  virtual ~Probe() = default;
  /// So many loads one after the other; goes on where the last chase ended.
  virtual Trial chase(std::uint64_t loads) = 0;
  /// One pass over the buffer: it is read, written, or half of it copied to the other.
  virtual Trial pass(Kernel kernel, int threads) = 0;
};

struct PairPlan {
  std::uint64_t bytes = 0;          ///< of the buffer
  std::uint64_t trial_loads = 0;    ///< of one timed chase
  std::uint64_t warm_up_loads = 0;  ///< before the first
  std::vector<int> thread_counts;
  double seconds_a_figure = 0.5;
};

struct PairFigures {
  struct Row {
    int threads = 1;
    double bytes_per_second[3] = {};  ///< by Kernel; as STREAM counts: what is loaded and stored
  };
  double latency_ns = 0;
  std::vector<Row> rows;       ///< one for each count of threads
  double taken_by_others = 0;  ///< at most, of the trials that count
};

/// Of each figure the best trial, as STREAM and lat_mem_rd have it: whatever else goes on can only
/// make one slower. `figure_done` is called after each figure.
[[nodiscard]] PairFigures measure_pair(Probe& probe, const PairPlan& plan,
                                       const std::function<void()>& figure_done);

/// 1, 2, 4 … and `most` itself.
[[nodiscard]] std::vector<int> thread_counts(int most);

}  // namespace Atoll::measure
