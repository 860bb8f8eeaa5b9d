// Notes the ends of watched processes that can't report it themselves: signals kill them, or they
// call the system without libc.
#pragma once

#include <cstdint>
#include <map>

#include "trace/shared_region.hpp"

namespace Atoll::trace {

class ProcessEnds {
 public:
  /// Throws Error (failed) if the system gives no file.
  explicit ProcessEnds(Region& region);
  ~ProcessEnds();
  ProcessEnds(const ProcessEnds&) = delete;
  ProcessEnds& operator=(const ProcessEnds&) = delete;

  /// Returns a file to poll: it can be read when a process has ended.
  [[nodiscard]] int file() const { return ends_; }
  /// Looks for new processes, and records the end of those that have ended since the last step.
  void step();

 private:
  void add(recorder::Offset process, pid_t pid);
  void note_end(recorder::Offset process);

  Region& region_;
  int ends_;                               ///< of epoll: the pidfds of the living
  std::map<recorder::Offset, int> files_;  ///< by process
  recorder::Offset last_ = 0;              ///< the newest process that was seen
};

}  // namespace Atoll::trace
