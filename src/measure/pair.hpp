// Measures one pair of initiator and memory by timed chases and passes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "measure/kernels.hpp"

namespace Atoll::measure {

struct Trial {
  double seconds = 0;
  double taken_by_others = 0;  ///< share of the threads' time in which other programs ran
};

/// The operations that are timed. Tests use a probe with known times.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Does `loads` dependent loads, starting where the last chase ended.
  virtual Trial chase(std::uint64_t loads) = 0;
  /// Does one pass over a piece of the buffer: reads it, writes it, or copies half as much to the
  /// buffer's other half. The next pass continues after it.
  virtual Trial pass(Kernel kernel, int threads) = 0;
};

struct PairPlan {
  std::uint64_t bytes = 0;          ///< of a pass
  std::uint64_t trial_loads = 0;    ///< of each timed chase
  std::uint64_t warm_up_loads = 0;  ///< before the first timed chase
  std::vector<int> thread_counts;
  double seconds_a_figure = 0.5;
};

struct PairFigures {
  struct Row {
    int threads = 1;
    double bytes_per_second[3] = {};  ///< by Kernel; counts loaded and stored bytes, as STREAM does
  };
  double latency_ns = 0;
  std::vector<Row> rows;       ///< one for each thread count
  double taken_by_others = 0;  ///< the largest value of the trials used
};

/// Measures each figure as the best trial, as STREAM and lat_mem_rd do: other programs only make a
/// trial slower. `figure_done` is called after each figure.
[[nodiscard]] PairFigures measure_pair(Probe& probe, const PairPlan& plan,
                                       const std::function<void()>& figure_done);

/// Returns 1, 2, 4 … below `most`, then `most`.
[[nodiscard]] std::vector<int> thread_counts(int most);

}  // namespace Atoll::measure
