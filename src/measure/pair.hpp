// Measures one initiator and one memory, from how long chases and passes take.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/kernels.hpp"

namespace Atoll::measure {

struct Trial {
  double seconds = 0;
  double taken_by_others = 0;  ///< the part of the threads' time in which others ran instead
};

/// What is timed. Tests have a probe that knows its times.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Does so many loads one after the other, and goes on where the last chase ended.
  virtual Trial chase(std::uint64_t loads) = 0;
  /// Does one pass over a piece of the buffer: reads it, writes it, or copies half as much to the
  /// buffer's other half. The next pass goes on behind it.
  virtual Trial pass(Kernel kernel, int threads) = 0;
};

struct PairPlan {
  std::uint64_t bytes = 0;          ///< of a pass
  std::uint64_t trial_loads = 0;    ///< loads of one timed chase
  std::uint64_t warm_up_loads = 0;  ///< loads before the first
  std::vector<int> thread_counts;
  double seconds_a_figure = 0.5;
};

struct PairFigures {
  struct Row {
    int threads = 1;
    double bytes_per_second[3] =
        {};  ///< by Kernel; counts what is loaded and stored, as STREAM does
  };
  double latency_ns = 0;
  std::vector<Row> rows;       ///< one for each count of threads
  double taken_by_others = 0;  ///< the largest, of the trials that count
};

/// Takes the best trial for each figure, as STREAM and lat_mem_rd do: anything else that runs can
/// only make one slower. `figure_done` is called after each figure.
[[nodiscard]] PairFigures measure_pair(Probe& probe, const PairPlan& plan,
                                       const std::function<void()>& figure_done);

/// Returns 1, 2, 4 … and `most` itself.
[[nodiscard]] std::vector<int> thread_counts(int most);

}  // namespace Atoll::measure
