// The results of a queued loop's reductions while it runs: each thread's least or greatest value,
// or the sum of each block.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "atoll/stencil/worker.hpp"

namespace Atoll::stencil {

struct Queued;

/// One loop's results. They are made before the loop runs, and combined in a fixed order after it.
class LoopResults {
 public:
  LoopResults(const Queued& loop, int threads);
  /// Tells the worker of a thread where its values go.
  void prepare(detail::Worker& worker, int thread) const;
  /// Combines what all threads have with the reductions' values.
  void finish() const;

 private:
  struct One {
    detail::ReductionUse use;
    std::size_t stride;  ///< bytes from a thread's values to the next thread's; 0 for a sum
    std::size_t parts;   ///< threads, or blocks
    std::vector<std::uint64_t> memory;
  };
  const Queued* loop_;
  mutable std::vector<One> all_;
};

/// Buffers for a worker's blocks, as many as the loop needs. They belong to the caller.
void give_buffers(detail::Worker& worker, std::vector<std::vector<std::uint64_t>>& memory,
                  const Queued& loop);

}  // namespace Atoll::stencil
