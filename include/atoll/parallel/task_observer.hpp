// Interface for observers of tasks, which keeps loops independent of recorders.
#pragma once

#include <cstdint>

namespace Atoll {

/// A loop of tasks. Task t is the iterations [t × chunk, (t + 1) × chunk), limited to the loop's
/// iterations.
struct TaskLoop {
  const char* name = "";
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
  /// Hash of the loop's structure, which distinguishes loops of the same size; 0 means none.
  std::uint64_t fingerprint = 0;

  [[nodiscard]] std::uint64_t tasks() const {
    return iterations / chunk + (iterations % chunk != 0);
  }
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t task) const { return task * chunk; }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t task) const {
    return iterations - task * chunk < chunk ? iterations : (task + 1) * chunk;
  }
};

/// Receives the tasks of loops. begin() and end() alternate on the thread that runs a task; end()
/// is called also if the task throws. If a loop of the same name runs again, it has the same tasks.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  /// Called before the loop runs, on the thread that starts it.
  virtual void loop(const TaskLoop& loop) noexcept = 0;
  virtual void begin(const TaskLoop& loop, std::uint64_t task) noexcept = 0;
  virtual void end() noexcept = 0;
};

/// Returns the observer that reports to a recorder by the marks of trace/marks.h; null if this
/// process isn't recorded.
[[nodiscard]] TaskObserver* process_task_observer() noexcept;

}  // namespace Atoll
