// Who is told of the tasks that loops run: what records them stands behind this interface, so that
// loops know nothing of recorders.
#pragma once

#include <cstdint>

namespace Atoll {

/// A loop of tasks. Task t is the iterations t × chunk … (t + 1) × chunk - 1 as far as there are
/// some.
struct TaskLoop {
  const char* name = "";
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
  /// Tells the loop's structure from others of the same size, if the program gives one; 0: none.
  std::uint64_t fingerprint = 0;

  [[nodiscard]] std::uint64_t tasks() const {
    return iterations / chunk + (iterations % chunk != 0);
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t task) const { return task * chunk; }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t task) const {
    return iterations - task * chunk < chunk ? iterations : (task + 1) * chunk;
  }
};

/// Contract: begin() and end() are called in turn on the thread that runs the task; end() also if
/// the task throws. The loop of that name may run again: its tasks are the same ones then.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  /// Before the loop runs; on the thread that starts it.
  virtual void loop(const TaskLoop& loop) noexcept = 0;
  virtual void begin(const TaskLoop& loop, std::uint64_t task) noexcept = 0;
  virtual void end() noexcept = 0;
};

/// Returns what watches this process by the marks of trace/marks.h; null if nothing does.
[[nodiscard]] TaskObserver* process_task_observer() noexcept;

}  // namespace Atoll
