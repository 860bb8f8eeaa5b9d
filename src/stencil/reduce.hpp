// The results of a queued loop's reductions while it runs: each thread's least or greatest value,
// or the sum of each block.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "atoll/stencil/loop.hpp"

namespace Atoll::stencil {

/// One loop's results, which are combined in a fixed order after it has run. The memory is used
/// again when it runs again.
class LoopResults {
 public:
  /// The loop outlives this.
  LoopResults(const detail::DeclaredLoop& loop, int threads);
  /// Forgets what was reduced before. Comes before each run.
  void start();
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
  const detail::DeclaredLoop* loop_;
  mutable std::vector<One> all_;
};

/// Buffers for a worker's blocks, as many as the loop needs. They belong to the caller.
void give_buffers(detail::Worker& worker, std::vector<std::vector<std::uint64_t>>& memory,
                  const detail::DeclaredLoop& loop);

}  // namespace Atoll::stencil
