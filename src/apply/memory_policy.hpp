// The memory policy that programs inherit from `atoll`, as from numactl.
#pragma once

#include <vector>

#include "atoll/machine/place.hpp"

namespace Atoll::apply {

/// While it lives, this thread and what it starts allocate memory this way; full nodes spill. If
/// the system refuses all calls about memory policies, as in containers, a note says so and nothing
/// changes.
class MemoryPolicy {
 public:
  enum class Kind {
    system,      ///< as a process that inherited nothing
    prefer,      ///< the first of the nodes, another one when it is full
    interleave,  ///< pages in turn over the nodes
  };
  /// Throws Error (failed) if the system refuses these nodes.
  MemoryPolicy(Kind kind, const std::vector<NodeId>& nodes);
  ~MemoryPolicy();
  MemoryPolicy(const MemoryPolicy&) = delete;
  MemoryPolicy& operator=(const MemoryPolicy&) = delete;

 private:
  bool is_set_ = false;
  int mode_before_ = 0;
  std::vector<unsigned long> before_;
};

}  // namespace Atoll::apply
