// One event, opened on a process and all its future children, with a ring for each processing unit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "recording/sample/perf_events.hpp"
#include "recording/sample/ring.hpp"

namespace Atoll::recording::sample {

/// Contract: it must be created while `pid` waits to execute its program; earlier actions are not
/// observed.
class Rings {
 public:
  /// Throws Error (failed), with the system's message, if the kernel denies or does not support the
  /// event.
  Rings(const Event& event, pid_t pid, bool with_kernel);
  ~Rings();
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;

  /// Appends the records since the last call, those of each unit in their order.
  void drain(std::vector<Record>& records);
  /// Starts or stops sampling; the begin and end of threads and processes are always reported.
  void enable(bool on);

 private:
  struct Ring {
    int file = -1, leader = -1, tasks = -1;
    void* memory = nullptr;
  };
  void open(const Event& event, pid_t pid, bool with_kernel, int cpu);
  void close();

  RingLayout layout_;
  std::size_t data_bytes_ = 0;
  std::vector<Ring> rings_;
};

}  // namespace Atoll::recording::sample
