// One event, opened on a process and all that it will start, with a ring for each processing unit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trace/sample/perf_events.hpp"
#include "trace/sample/ring.hpp"

namespace Atoll::trace::sample {

/// Contract: make it while `pid` waits to execute its program; what runs before that isn't seen.
class Rings {
 public:
  /// Throws Error (failed), with the system's word, if the kernel doesn't allow or know the event.
  Rings(const Event& event, pid_t pid, bool with_kernel);
  ~Rings();
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;

  /// Appends what has come since the last call, each unit's records in their order.
  void drain(std::vector<Record>& records);
  /// Begins or stops taking samples; threads and processes are seen anyway.
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

}  // namespace Atoll::trace::sample
