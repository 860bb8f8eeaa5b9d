// Intermediate results of a queued loop's reductions: each thread's minimum or maximum, or the sum
// of each block.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "atoll/stencil/loop.hpp"

namespace Atoll::stencil {

/// Results of one loop, which are combined in a fixed order after it has run. The memory is reused
/// when it runs again.
class LoopResults {
 public:
  /// The loop must outlive this object.
  LoopResults(const detail::DeclaredLoop& loop, int threads);
  /// Resets all results. Call it before each run.
  void start();
  /// Points the worker of a thread to the thread's results.
  void prepare(detail::Worker& worker, int thread) const;
  /// Combines the results of all threads into the values of the reductions.
  void finish() const;

 private:
  struct One {
    detail::ReductionUse use;
    std::size_t stride;  ///< bytes to the next thread's values; 0 for a sum
    std::size_t parts;   ///< number of threads, or of blocks for a sum
    std::vector<std::uint64_t> memory;
  };
  const detail::DeclaredLoop* loop_;
  mutable std::vector<One> all_;
};

/// Provides a worker with as many block buffers as the loop needs. The caller owns them in
/// `memory`.
void provide_buffers(detail::Worker& worker, std::vector<std::vector<std::uint64_t>>& memory,
                     const detail::DeclaredLoop& loop);

}  // namespace Atoll::stencil
