// Shows on a terminal how far long work is: a line on standard error is redrawn a few times a
// second and wiped at the end. Nothing is shown for short work, or if standard error is no
// terminal.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace Atoll {

/// The progress of one piece of work.
class Progress {
 public:
  /// `what` is a text such as "reading graph.el". `total` counts the units that add() counts; 0
  /// means that it is unknown, and no line is shown.
  Progress(std::string what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// May be called from any thread, seldom enough that reading the clock doesn't matter.
  void add(std::uint64_t done);

 private:
  const std::string what_;
  const std::uint64_t total_;
  const bool shown_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_ns_;
  std::atomic<bool> drawn_{false};
};

}  // namespace Atoll
