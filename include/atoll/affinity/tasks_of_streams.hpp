// Derives tasks from streams of accesses: the lines that each task used, in the form of a recorder
// by tasks.
#pragma once

#include <cstdint>
#include <memory>

#include "atoll/recording/recording.hpp"

namespace Atoll::affinity {

/// Adapter from a stored trace (trace/read_stream.hpp) to a consumer of tasks such as RecordTasks.
/// Its memory holds the lines of the threads' current tasks, and some 100 bytes for each page that
/// tasks used.
class TasksOfStreams : public recording::Consumer {
 public:
  /// Forwards task(), page() of each page that tasks used, and end() to `tasks`, which outlives
  /// this object.
  explicit TasksOfStreams(recording::Consumer& tasks);
  ~TasksOfStreams() override;
  void begin(const recording::Recording& recording) override;
  void accesses(std::uint32_t stream, std::span<const recording::Access> accesses) override;
  void event(std::uint32_t stream, const recording::StreamEvent& event) override;
  void end(const recording::Recording& recording) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Atoll::affinity
