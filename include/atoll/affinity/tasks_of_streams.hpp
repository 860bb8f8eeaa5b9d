// Derives tasks from streams of accesses: the lines that each task used, in the form of a recorder
// by tasks.
#pragma once

#include <cstdint>
#include <memory>

#include "atoll/trace/recording.hpp"

namespace Atoll::affinity {

/// Adapter from a stored trace (trace/read_stream.hpp) to a consumer of tasks such as RecordTasks.
/// Its memory holds the lines of the threads' current tasks, and some 100 bytes for each page that
/// tasks used.
class TasksOfStreams : public trace::Consumer {
 public:
  /// Forwards task(), page() of each page that tasks used, and end() to `tasks`, which outlives
  /// this object.
  explicit TasksOfStreams(trace::Consumer& tasks);
  ~TasksOfStreams() override;
  void begin(const trace::Recording& recording) override;
  void accesses(std::uint32_t stream, std::span<const trace::Access> accesses) override;
  void event(std::uint32_t stream, const trace::StreamEvent& event) override;
  void end(const trace::Recording& recording) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Atoll::affinity
