// Stretches of a run, as accesses and their outcomes: what each met in the caches. They can be
// timed again with other figures, which costs a fraction of the run, as nothing is looked up; or
// looked up and timed again on a machine of another shape.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/core.hpp"
#include "simulate/hierarchy.hpp"
#include "simulate/network.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

class Windows {
 public:
  /// `replays`: how often all windows will be timed; they are chosen such that this costs as much
  /// as the run, or less.
  Windows(std::size_t threads, std::uint64_t replays);
  /// So many threads run now. Windows that begin later have as many accesses of each.
  void expect_threads(std::size_t threads);

  /// True if the access with this number, counted from 0 in the order of the run, is of a window.
  [[nodiscard]] bool wants(std::uint64_t access) {
    if (access < begin_) return false;
    if (access < end_) return true;
    next_window(access);
    return access < end_ && access >= begin_;
  }
  /// The first access from `access` on that may be of a window.
  [[nodiscard]] std::uint64_t next_wanted(std::uint64_t access) {
    return wants(access) ? access : begin_;
  }
  /// Where an access goes, as Hierarchy::access() has it.
  struct Target {
    LineKey line = 0;
    std::uint64_t page = 0;
    PageClass size = PageClass::small;
    std::uint16_t home = 0;
  };
  /// An access of a window: one that the core took to be quick, or one with an outcome.
  void note_quick(std::uint32_t thread, const Core::Access& access, const Target& target);
  void note(std::uint32_t thread, const Core::Access& access, const Target& target,
            const Outcome& outcome, const std::vector<SideTraffic>& side);

  /// Thrown by time() and looked_up() between two windows if `stops` returns true.
  struct Stopped {};
  void stop_if(bool (*stops)()) { stops_ = stops; }
  /// The time of all threads in all windows.
  [[nodiscard]] double time(const Timing& timing, const std::vector<Seat>& seats) const;
  /// The same windows, with what they meet on a machine of another shape. Its caches are empty
  /// before the first one and keep what they have between others: compare it with that of the
  /// run's own shape. Caches in front of memories, which a part of a run can't fill, are those of
  /// `run` at its end, and stay so; null: they are as the others.
  [[nodiscard]] Windows looked_up(const Shape& shape, Homes& homes, const std::vector<Seat>& seats,
                                  const Hierarchy* run = nullptr) const;

 private:
  static constexpr std::uint32_t kQuick = ~std::uint32_t{0};
  static constexpr std::size_t kMostWindows = 16;
  static constexpr std::uint64_t kAccessesOfThread = 512;
  struct Note {
    Core::Access access;
    Target target;
    std::uint32_t thread = 0;
    std::uint32_t outcome = kQuick;  ///< in outcomes
    std::uint32_t side = 0, sides = 0;
  };
  struct Window {
    std::vector<Note> notes;
    std::vector<Outcome> outcomes;
    std::vector<SideTraffic> side;
  };
  void next_window(std::uint64_t access);
  void check_stop() const {
    if (stops_ != nullptr && stops_()) throw Stopped();
  }
  [[nodiscard]] double time(const Window& window, const Timing& timing,
                            const std::vector<Seat>& seats) const;

  bool (*stops_)() = nullptr;
  std::size_t most_threads_;
  std::uint64_t length_, spacing_;
  std::uint64_t begin_ = 0, end_ = 0;  ///< accesses of the window that is noted
  std::vector<Window> windows_;
};

}  // namespace Atoll::simulate
