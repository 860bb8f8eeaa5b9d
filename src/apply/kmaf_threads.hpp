// The threads of a program that `--policy kmaf` runs, as the system has them: which may be bound,
// and to what [hashsieve §VI.A.2]. A binding of the program's own is never changed.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "apply/thread_mapper.hpp"
#include "trace/sample/nodes.hpp"

namespace Atoll::apply {

class KmafThreads {
 public:
  /// `nodes` must outlive this. Does nothing if fewer than two nodes have units that this process,
  /// and so the program, may use.
  explicit KmafThreads(const trace::sample::Nodes& nodes);

  void sampled(pid_t pid, std::int32_t tid, std::uint64_t page, int node);
  /// Call it every 50 ms or so.
  void step(std::uint64_t now_ns);

  [[nodiscard]] std::uint64_t bound() const { return bound_; }  ///< times a thread was bound
  /// Returns how many processes bound threads themselves.
  [[nodiscard]] std::uint64_t left_alone() const { return left_alone_; }

 private:
  struct Process {
    ThreadMapper mapper;
    std::map<std::int32_t, int> given;  ///< thread: the node that it was bound to
    std::set<std::int32_t> doubtful;    ///< bound as ours are: new, about to be released
    bool left_alone = false;
  };
  bool check(pid_t pid, Process& process, std::vector<std::int32_t>& threads);
  void release(Process& process);

  cpu_set_t all_;                   ///< those that the program may use
  std::map<int, cpu_set_t> units_;  ///< by node
  std::map<pid_t, Process> processes_;
  std::uint64_t next_check_ns_ = 0, next_decision_ns_ = 0;
  std::uint64_t bound_ = 0, left_alone_ = 0;
};

}  // namespace Atoll::apply
