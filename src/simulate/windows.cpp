#include "simulate/windows.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "simulate/core_models.hpp"

namespace Atoll::simulate {

Windows::Windows(std::size_t threads, std::uint64_t replays)
    : core_model_(&core_models().front()),
      most_threads_(std::max<std::size_t>(threads, 1)),
      length_(kAccessesOfThread * most_threads_),
      spacing_(length_ * std::max<std::uint64_t>(replays, 1)),
      end_(length_),
      windows_(1) {}

void Windows::expect_threads(std::size_t threads) {
  if (threads <= most_threads_) return;
  spacing_ = spacing_ / most_threads_ * threads;  // keeps the recorded share of the run constant
  most_threads_ = threads;
  length_ = kAccessesOfThread * threads;
}

void Windows::next_window(std::uint64_t access) {
  while (end_ <= access) {
    begin_ += spacing_;
    end_ = begin_ + length_;
    windows_.emplace_back();
    if (windows_.size() <= kMaxWindows) continue;
    // Drops every second window, so that the rest is spread over the whole run.
    for (std::size_t i = 0; 2 * i < windows_.size(); ++i) std::swap(windows_[i], windows_[2 * i]);
    windows_.resize((windows_.size() + 1) / 2);
    spacing_ *= 2;
  }
}

void Windows::note_quick(std::uint32_t thread, const TimedAccess& access, const Target& target) {
  windows_.back().notes.push_back({access, target, thread});
}

void Windows::note(std::uint32_t thread, const TimedAccess& access, const Target& target,
                   const Outcome& outcome, const std::vector<SideTraffic>& side) {
  Window& window = windows_.back();
  window.notes.push_back(
      {access, target, thread, static_cast<std::uint32_t>(window.outcomes.size()),
       static_cast<std::uint32_t>(window.side.size()), static_cast<std::uint32_t>(side.size())});
  window.outcomes.push_back(outcome);
  window.side.insert(window.side.end(), side.begin(), side.end());
}

Windows Windows::with_shape(const Shape& shape, Homes& homes,
                            const std::vector<HardwareThread>& hw_threads,
                            const Hierarchy* run) const {
  Windows result(1, 1);
  result.windows_.clear();
  Hierarchy hierarchy(shape, homes);
  if (run != nullptr) hierarchy.keep_memory_sides(*run);
  Outcome outcome;
  std::vector<SideTraffic> side;
  result.stops_ = stops_;
  result.core_model_ = core_model_;
  for (const Window& window : windows_) {
    check_stop();
    result.windows_.emplace_back();
    for (const Note& note : window.notes) {
      const Target& to = note.target;
      const HardwareThread& hw_thread = hw_threads[note.thread];
      side.clear();
      switch (hierarchy.hit(hw_thread, to.line, to.page, to.size, note.access.write)) {
        case Hierarchy::Hit::quick:
          result.note_quick(note.thread, note.access, to);
          break;
        case Hierarchy::Hit::page:
          result.note(note.thread, note.access, to, {{to.line, Source::l1, false, to.home, 0}},
                      side);
          break;
        case Hierarchy::Hit::no:
          hierarchy.access(hw_thread, to.line, to.page, to.size, to.home, note.access.write,
                           outcome, side);
          result.note(note.thread, note.access, to, outcome, side);
      }
    }
  }
  return result;
}

double Windows::time(const Window& window, const Timing& timing,
                     const std::vector<HardwareThread>& hw_threads) const {
  Network network(timing.machine);
  struct Thread {
    std::unique_ptr<CoreModel> core;
    std::vector<const Note*> notes;
    std::size_t next = 0;
  };
  std::vector<std::uint32_t> number(hw_threads.size(), kQuick);  // index in `threads`; kQuick: none
  std::vector<Thread> threads;
  std::vector<HardwareThread> hw_threads_here;
  for (const Note& note : window.notes) {
    if (number[note.thread] == kQuick) {
      number[note.thread] = static_cast<std::uint32_t>(threads.size());
      threads.push_back(
          {core_model_->core(timing, network, hw_threads[note.thread].node, 1), {}, 0});
      hw_threads_here.push_back(hw_threads[note.thread]);
    }
    threads[number[note.thread]].notes.push_back(&note);
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    CoreSharers sharers{0, 0, hw_threads_here[i].chip};
    for (const HardwareThread& other : hw_threads_here) {
      sharers.on_core += other.core == hw_threads_here[i].core;
      sharers.on_l2 += other.l2 == hw_threads_here[i].l2;
    }
    threads[i].core->share(sharers);
  }
  constexpr Ticks kTurn = 20'000;
  std::vector<SideTraffic> side;
  for (;;) {
    Ticks first = std::numeric_limits<Ticks>::max(), second = first;
    Thread* next = nullptr;
    for (Thread& thread : threads) {
      if (thread.next == thread.notes.size()) continue;
      if (thread.core->now() < first) {
        second = first;
        first = thread.core->now();
        next = &thread;
      } else {
        second = std::min(second, thread.core->now());
      }
    }
    if (next == nullptr) break;
    network.finalize_until(first);
    const Ticks until = std::min(second, first + 100 * kTurn) + kTurn;
    while (next->next < next->notes.size() && next->core->now() < until) {
      const Note& note = *next->notes[next->next++];
      TimedAccess access = note.access;
      access.object = 0;
      next->core->begin(access);
      if (note.outcome == kQuick) {
        next->core->quick(access, note.target.line);
        continue;
      }
      side.assign(window.side.begin() + note.side, window.side.begin() + note.side + note.sides);
      next->core->access(access, window.outcomes[note.outcome], side);
    }
  }
  double sum = 0;
  for (Thread& thread : threads) {
    thread.core->drain();
    sum += static_cast<double>(thread.core->now());
  }
  return sum;
}

double Windows::time(const Timing& timing, const std::vector<HardwareThread>& hw_threads) const {
  // The first window starts with empty caches, so it is left out if there are more than three.
  const std::size_t from = windows_.size() > 3 ? 1 : 0;
  double sum = 0;
  for (std::size_t i = from; i < windows_.size(); ++i) {
    check_stop();
    sum += time(windows_[i], timing, hw_threads);
  }
  return sum;
}

}  // namespace Atoll::simulate
