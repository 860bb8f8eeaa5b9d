// Tasks in streams of accesses: which lines each used, as a recorder by tasks tells them.
#pragma once

#include <cstdint>
#include <memory>

#include "atoll/trace/recording.hpp"

namespace Atoll::affinity {

/// Between a stored trace (trace/read_stream.hpp) and what takes tasks, such as RecordTasks. Its
/// memory: the lines of the tasks that threads are in, and some 100 bytes for each page they used.
class TasksOfStreams : public trace::Consumer {
 public:
  /// `tasks` outlives it, and gets task(), page() of the pages that tasks used, and end().
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
