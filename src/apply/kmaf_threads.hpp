// The threads of a program under `--policy kmaf`: decides which of them may be bound, and binds
// them to nodes [hashsieve §VI.A.2]. The program's own bindings are never changed.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "apply/thread_mapper.hpp"
#include "recording/sample/nodes.hpp"

namespace Atoll::apply {

class KmafThreads {
 public:
  /// `nodes` must outlive this object. Does nothing unless at least two nodes have units that this
  /// process, and so the program, may use.
  explicit KmafThreads(const recording::sample::Nodes& nodes);

  void sampled(pid_t pid, std::int32_t tid, std::uint64_t page, int node);
  /// Call it about every 50 ms.
  void step(std::uint64_t now_ns);

  [[nodiscard]] std::uint64_t bound() const { return bound_; }  ///< number of bindings so far
  /// Returns the number of processes that bound threads themselves.
  [[nodiscard]] std::uint64_t binds_itself() const { return left_alone_; }

 private:
  struct Process {
    ThreadMapper mapper;
    std::map<std::int32_t, int> given;   ///< node that each thread was bound to, by thread
    std::set<std::int32_t> unconfirmed;  ///< new threads, seen once with an inherited binding
    bool binds_itself = false;
  };
  bool check(pid_t pid, Process& process, std::vector<std::int32_t>& threads);
  void release(Process& process);

  cpu_set_t all_;                   ///< units that the program may use
  std::map<int, cpu_set_t> units_;  ///< by node
  std::map<pid_t, Process> processes_;
  std::uint64_t next_check_ns_ = 0, next_decision_ns_ = 0;
  std::uint64_t bound_ = 0, left_alone_ = 0;
};

}  // namespace Atoll::apply
