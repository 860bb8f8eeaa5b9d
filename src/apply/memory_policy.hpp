// The memory policy that programs inherit from `atoll`, as with numactl.
#pragma once

#include <vector>

#include "atoll/machine/place.hpp"

namespace Atoll::apply {

/// Sets the memory policy of this thread and its children during the object's lifetime; if a node
/// is full, others are used. If the system refuses all calls about memory policies, as in
/// containers, prints a note and changes nothing.
class MemoryPolicy {
 public:
  enum class Kind {
    system,      ///< the default policy
    prefer,      ///< the first of the nodes, another one if it is full
    interleave,  ///< pages round-robin over the nodes
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
