// Passes recorded tasks to a consumer, while the program runs and once more at its end.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "recording/thread_rings.hpp"

namespace Atoll::recording {

class TaskDrain {
 public:
  TaskDrain(const Region& region, Consumer& consumer)
      : region_(region), rings_(region), consumer_(consumer) {}
  /// Returns true if there was much data, so the next call should be soon.
  bool step();

 private:
  struct Thread {
    std::uint32_t process;
    std::uint64_t task = 0;  ///< word of its last task
  };
  Thread& thread_of(std::uint32_t stream, const record::ThreadRecord& record);
  void deliver(std::uint32_t stream, Thread& thread, std::span<const std::uint64_t> words);
  /// Passes on a part of the thread's task. `words` are its `lines` lines.
  void send_task(std::uint32_t stream, const Thread& thread, std::span<const std::uint64_t> words,
                 std::uint64_t lines);
  const std::string& name_of(std::uint32_t loop);

  const Region& region_;
  ThreadRings rings_;
  Consumer& consumer_;
  std::unordered_map<std::uint32_t, Thread> threads_;  ///< by stream
  std::vector<LineUse> lines_;
  std::vector<std::string> loops_;
};

}  // namespace Atoll::recording
