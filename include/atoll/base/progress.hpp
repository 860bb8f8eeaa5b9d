// Shows the progress of long work on a terminal: a line on standard error, which is redrawn a few
// times a second and cleared at the end. Short work, and output to anything but a terminal, shows
// no line.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace Atoll {

/// Progress of one piece of work.
class Progress {
 public:
  /// `what` is a text such as "reading graph.el". `total` is in the unit of add(); 0 means unknown,
  /// and no line is shown.
  Progress(std::string what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Adds completed units. Thread-safe. Reads the clock, so call it for large batches.
  void add(std::uint64_t done);

 private:
  const std::string what_;
  const std::uint64_t total_;
  const bool shown_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_ns_;
};

}  // namespace Atoll
