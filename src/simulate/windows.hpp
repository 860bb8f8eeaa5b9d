// Samples of a run: windows of accesses with their outcomes in the caches. They can be timed again
// with other figures at a fraction of the run's cost, as no cache is looked up. Or they can be
// looked up and timed again on a machine of another shape.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/core_model.hpp"
#include "simulate/hierarchy.hpp"
#include "simulate/network.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"

namespace Atoll::simulate {

struct CoreModelRow;

class Windows {
 public:
  /// `replays`: number of times that all windows will be timed. The windows are chosen such that
  /// this costs no more than the run.
  Windows(std::size_t threads, std::uint64_t replays);
  /// Times windows with that core model, which is the default one at first.
  void use(const CoreModelRow& model) { core_model_ = &model; }
  /// Sets the number of running threads. Later windows are sized for as many.
  void expect_threads(std::size_t threads);

  /// True if access number `access`, from 0 in the order of the run, belongs to a window.
  [[nodiscard]] bool wants(std::uint64_t access) {
    if (access < begin_) return false;
    if (access < end_) return true;
    next_window(access);
    return access < end_ && access >= begin_;
  }
  /// Number of the first access from `access` on that may belong to a window.
  [[nodiscard]] std::uint64_t next_wanted(std::uint64_t access) {
    return wants(access) ? access : begin_;
  }
  /// Target of an access, as passed to Hierarchy::access().
  struct Target {
    LineKey line = 0;
    std::uint64_t page = 0;
    PageClass size = PageClass::small;
    std::uint16_t home = 0;
  };
  /// Records an access of a window: a quick hit, or an access with an outcome.
  void note_quick(std::uint32_t thread, const TimedAccess& access, const Target& target);
  void note(std::uint32_t thread, const TimedAccess& access, const Target& target,
            const Outcome& outcome, const std::vector<SideTraffic>& side);

  /// Thrown between two windows by time() and with_shape() if `stops` returns true.
  struct Stopped {};
  void stop_if(bool (*stops)()) { stops_ = stops; }
  /// Sum of the times of all threads over all windows.
  [[nodiscard]] double time(const Timing& timing,
                            const std::vector<HardwareThread>& hw_threads) const;
  /// Returns the same windows with their outcomes on a machine of another shape. Its caches are
  /// empty before the first window and keep their contents between windows; compare the result with
  /// that of the run's own shape. Caches in front of memories can't be filled by a part of a run:
  /// they have the contents of `run` at its end and don't change. If `run` is null, they start
  /// empty, too.
  [[nodiscard]] Windows with_shape(const Shape& shape, Homes& homes,
                                   const std::vector<HardwareThread>& hw_threads,
                                   const Hierarchy* run = nullptr) const;

 private:
  static constexpr std::uint32_t kQuick = ~std::uint32_t{0};
  static constexpr std::size_t kMaxWindows = 16;
  static constexpr std::uint64_t kAccessesOfThread = 512;
  struct Note {
    TimedAccess access;
    Target target;
    std::uint32_t thread = 0;
    std::uint32_t outcome = kQuick;  ///< index in Window::outcomes; kQuick: none
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
                            const std::vector<HardwareThread>& hw_threads) const;

  bool (*stops_)() = nullptr;
  const CoreModelRow* core_model_;
  std::size_t most_threads_;
  std::uint64_t length_, spacing_;
  std::uint64_t begin_ = 0, end_ = 0;  ///< accesses of the current window
  std::vector<Window> windows_;
};

}  // namespace Atoll::simulate
