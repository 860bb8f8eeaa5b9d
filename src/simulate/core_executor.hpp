// The executor for one core model, whose functions it calls directly: accesses are too many for
// virtual calls. core_models.cpp instantiates it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulate/executor.hpp"

namespace Atoll::simulate {

/// `Core` is derived from CoreModel and constructible from (timing, network, node, objects).
template <class Core>
class CoreExecutor final : public Executor {
 public:
  using Executor::Executor;
  void run(std::uint32_t thread, Ticks until) override;

 private:
  /// Distance in accesses at which the host's cache is prefetched.
  static constexpr std::size_t kExpected = 4;
  /// The thread that runs.
  struct Running {
    std::uint32_t number;
    Thread& thread;
    Core& core;
  };
  /// Outcome of a line access.
  struct Met {
    LineKey line;
    std::uint64_t page;
    std::uint32_t object;
    PageClass size;
    Hierarchy::Hit hit;
    bool walked;  ///< with a page walk or a page fault
  };
  /// Cache outcomes of one iteration of a loop, which the next iterations may repeat.
  struct Iteration;

  CoreModel& add_core(std::uint32_t node, std::size_t objects) override {
    return cores_.emplace_back(timing_, network_, node, objects);
  }
  // These functions return false if the step isn't complete, because `until` is reached or the
  // thread waits for a line.
  bool run_step(const Running& at, const Batch::Step& step, Ticks until);
  bool run_accesses(const Running& at, const Batch::Step& step, Ticks until);
  /// Sets the object and `continues` of the access.
  bool access(const Running& at, std::uint64_t address, std::uint32_t bytes, TimedAccess& what,
              Ticks until);
  void access_line(const Running& at, std::uint64_t address, const TimedAccess& what);
  /// True if an atomic operation can't get its line yet; then advances the thread to the time at
  /// which it can.
  bool must_wait_for_line(const Running& at, std::uint64_t address);
  void note(const Running& at, const TimedAccess& what, const Windows::Target& target);

  // Loops of ranges (core_executor_loops.hpp).
  bool run_loop(const Running& at, const Batch::Step& step, Ticks until);
  /// Number of iterations, from the current one on, with the same outcomes as the one before.
  std::uint64_t count_repeats(const Running& at, std::span<const recording::AccessRange> ranges,
                              const Iteration& before);
  /// Runs `count` such iterations. Returns false if `until` is reached.
  bool repeat(const Running& at, const Iteration& before, std::uint64_t count, Ticks until);

  std::deque<Core> cores_;
  Outcome outcome_;  ///< of the last line access that Hierarchy::hit() didn't handle
  Met met_{};        ///< of the last line access
  std::vector<SideTraffic> side_;
  std::array<RepeatedAccess, CoreModel::kMaxRepeated> repeated_;  ///< of the Iteration
};

template <class Core>
void CoreExecutor<Core>::run(std::uint32_t number, Ticks until) {
  const Running at{number, threads_[number], cores_[number]};
  Thread& thread = at.thread;
  const std::vector<Batch::Step>& steps = thread.batch.steps();
  for (; thread.step < steps.size() && steps[thread.step].takes_time(); ++thread.step)
    if (thread.position() >= until || !run_step(at, steps[thread.step], until)) return;
}

template <class Core>
bool CoreExecutor<Core>::run_step(const Running& at, const Batch::Step& step, Ticks until) {
  define_styles(at.thread, step.styles);
  switch (step.type) {
    case Batch::Type::accesses:
      return run_accesses(at, step, until);
    case Batch::Type::loop:
      return run_loop(at, step, until);
    default:
      if (is_timed_) at.core.work(at.thread.batch.work_of(step));
      return true;
  }
}

template <class Core>
bool CoreExecutor<Core>::run_accesses(const Running& at, const Batch::Step& step, Ticks until) {
  Thread& thread = at.thread;
  const std::span<const recording::Access> all = thread.batch.accesses();
  for (; thread.access < step.count; ++thread.access) {
    const std::size_t i = std::size_t{step.first} + thread.access;
    if (const std::size_t soon = i + kExpected; soon < all.size()) {
      const LineKey line = line_key(thread.process, all[soon].address, shape_.line_bits);
      hierarchy_.expect(thread.hw_thread, line);
      if constexpr (requires(Core& core) { core.expect(line); }) at.core.expect(line);
    }
    TimedAccess what{.style = thread.styles[all[i].style], .write = all[i].write};
    if (!access(at, all[i].address, all[i].bytes, what, until)) return false;
  }
  thread.access = 0;
  return true;
}

template <class Core>
bool CoreExecutor<Core>::access(const Running& at, std::uint64_t address, std::uint32_t bytes,
                                TimedAccess& what, Ticks until) {
  Thread& thread = at.thread;
  Core& core = at.core;
  if (thread.position() >= until) return false;
  if (is_timed_ && !thread.has_begun) {
    core.begin(what);
    thread.has_begun = true;
    if (core.now() >= until) return false;  // accesses of other threads precede it
  }
  if (is_timed_ && what.style.atomic && network_.moved_until() > core.now() &&
      must_wait_for_line(at, address))
    return false;
  thread.has_begun = false;
  what.object = object_of(at.number, address);
  if (is_timed_) {
    ++accesses_;
    ++objects_[what.object].accesses;
  } else {
    ++thread.untimed;
  }
  access_line(at, address, what);
  const std::uint64_t line_bytes = std::uint64_t{1} << shape_.line_bits;
  const std::uint64_t last = address + std::max(bytes, 1U) - 1;
  for (std::uint64_t next = (address | (line_bytes - 1)) + 1; next <= last && next != 0;
       next += line_bytes) {
    what.continues = true;
    access_line(at, next, what);
  }
  return true;
}

template <class Core>
bool CoreExecutor<Core>::must_wait_for_line(const Running& at, std::uint64_t address) {
  const Thread& thread = at.thread;
  const Ticks now = at.core.now();
  const LineKey line = line_key(thread.process, address, shape_.line_bits);
  const Ticks free = network_.free_to_move(line, now);
  if (free <= now || hierarchy_.has(thread.hw_thread, line, true)) return false;
  wait_for_line(at.number, free, object_of(at.number, address));
  return true;
}

template <class Core>
void CoreExecutor<Core>::access_line(const Running& at, std::uint64_t address,
                                     const TimedAccess& what) {
  const Thread& thread = at.thread;
  Core& core = at.core;
  const bool write = what.write || what.style.atomic;  // an atomic operation's load takes ownership
  const PageMapping::Mapped mapped =
      mapping_.page_of(*thread.pages, thread.hw_thread.node, address, write);
  if (mapped.faulted) [[unlikely]]
    fault(at.number, mapped, what.object);
  const Page& page = *mapped.page;
  std::uint16_t home = page.home;
  std::uint64_t copy = 0;
  if (page.replicated) [[unlikely]] {
    home = program_->copy_for(thread.hw_thread.node, address, page.home, what.write && is_timed_);
    copy = std::uint64_t{home} + 1;
  }
  const LineKey line = page.zero ? mapping_.line_of_zeros(address, page.size)
                                 : line_key(thread.process, address, shape_.line_bits, copy);
  const std::uint64_t page_number = PageMapping::page_number(thread.process, address, page.size);
  side_.clear();
  const auto hit = hierarchy_.hit(thread.hw_thread, line, page_number, page.size, write);
  met_ = {line, page_number, what.object, page.size, hit, mapped.faulted};
  if (hit != Hierarchy::Hit::no) {
    if (!is_timed_) return;
    if (hit == Hierarchy::Hit::quick)
      core.quick(what, line);
    else
      core.hit(what, line);
    if (windows_ != nullptr && windows_->wants(accesses_))
      note(at, what, {line, page_number, page.size, home});
    return;
  }
  hierarchy_.access(thread.hw_thread, line, page_number, page.size, home, write, outcome_, side_);
  met_.walked = met_.walked || outcome_.walk_steps > 0;
  if (!is_timed_) return;
  core.access(what, outcome_, side_);
  if (windows_ != nullptr && windows_->wants(accesses_))
    note(at, what, {line, page_number, page.size, home});
  count_misses(objects_[what.object], outcome_);
}

/// Records the last line access in the windows.
template <class Core>
void CoreExecutor<Core>::note(const Running& at, const TimedAccess& what,
                              const Windows::Target& target) {
  switch (met_.hit) {
    case Hierarchy::Hit::quick:
      return windows_->note_quick(at.number, what, target);
    case Hierarchy::Hit::page:
      return windows_->note(at.number, what, target,
                            {{target.line, Source::l1, false, target.home, 0}}, side_);
    case Hierarchy::Hit::no:
      return windows_->note(at.number, what, target, outcome_, side_);
  }
}

}  // namespace Atoll::simulate
