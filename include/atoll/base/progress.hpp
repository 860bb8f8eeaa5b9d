// How far long work is, on a terminal: a line on standard error that is redrawn a few times a
// second and wiped at the end. Nothing for short work, and nothing where standard error is no
// terminal.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace Atoll {

/// The progress of one piece of work.
class Progress {
 public:
  /// `what`: "reading graph.el"; `total`: of the units that add() counts, 0 if unknown (no line
  /// then).
  Progress(std::string what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// From any thread; seldom enough that a look at the clock doesn't matter.
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
