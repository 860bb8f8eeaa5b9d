// Reads the rings of streams and tasks while the program runs, for one of four readers: a file, a
// consumer of streams, a consumer of tasks, a live simulation.
#pragma once

#include <optional>

#include "recording/drain.hpp"
#include "recording/streams/consumer_feed.hpp"
#include "recording/streams/live_thread.hpp"
#include "recording/streams/stream_writer.hpp"
#include "recording/task_drain.hpp"

namespace Atoll::recording {

/// Contract: the object is made before the program starts; its functions are called by the thread
/// that waits for the program. If the rings have no reader, they do nothing.
class RingReader {
 public:
  /// Milliseconds until the next step if the rings have no reader.
  static constexpr int kIdleMilliseconds = 10;

  void write_to(StreamWriter& writer, const Region& region) { drain_.emplace(region, writer); }
  void pass_streams_to(Consumer& consumer, const Region& region);
  void pass_tasks_to(Consumer& consumer, const Region& region) { tasks_.emplace(region, consumer); }
  void simulate(LiveRun& run, const Region& region) { live_.emplace(region, run); }

  /// Returns the time until the next step is due, in milliseconds.
  int step();
  /// The program has ended with `status`, as from waitpid().
  void finish(int status);
  [[nodiscard]] StreamedPages streamed_pages() const;

 private:
  std::optional<ConsumerFeed> feed_;
  std::optional<Drain> drain_;
  std::optional<TaskDrain> tasks_;
  std::optional<LiveThread> live_;
};

}  // namespace Atoll::recording
