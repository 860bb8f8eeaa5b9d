// Serializes operations whose results depend on the order of threads. A simulator that runs the
// program then lets threads run one at a time, in the order of simulated time.
#pragma once

#include "atoll/marks/run_time.hpp"

namespace Atoll::detail {

/// Serializes this thread's operation, from construction to destruction. Without a simulator, it
/// costs a comparison.
class InTurn {
 public:
  /// If `matters` is false, the order of threads is irrelevant and nothing is serialized.
  explicit InTurn(bool matters = true) noexcept
      : has_turn_(matters && atoll_wants_turn != nullptr) {
    if (has_turn_) atoll_wants_turn();
  }
  ~InTurn() {
    if (has_turn_) atoll_turn_over();
  }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

 private:
  bool has_turn_;
};

}  // namespace Atoll::detail
