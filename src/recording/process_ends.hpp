// Records the ends of watched processes that can't record them: a signal kills them, or they exit
// by a system call without libc.
#pragma once

#include <cstdint>
#include <map>

#include "recording/shared_region.hpp"

namespace Atoll::recording {

class ProcessEnds {
 public:
  /// Throws Error (failed) if epoll is not available.
  explicit ProcessEnds(Region& region);
  ~ProcessEnds();
  ProcessEnds(const ProcessEnds&) = delete;
  ProcessEnds& operator=(const ProcessEnds&) = delete;

  /// Returns a file descriptor to poll: it becomes readable when a process has ended.
  [[nodiscard]] int file() const { return ends_; }
  /// Looks for new processes, and records the ends since the last step.
  void step();

 private:
  void add(record::Offset process, pid_t pid);
  void note_end(record::Offset process);

  Region& region_;
  int ends_;                             ///< epoll instance with the pidfds of live processes
  std::map<record::Offset, int> files_;  ///< by process
  record::Offset last_ = 0;              ///< newest process seen so far
};

}  // namespace Atoll::recording
