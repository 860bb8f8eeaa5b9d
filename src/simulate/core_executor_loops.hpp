// Loops in the executor. Most iterations of a loop over arrays stay in the lines of the iteration
// before. If level 1 and the first-level TLB hold all of them, these accesses hit and leave caches
// and TLB unchanged. Then only their time is computed.
#pragma once

#include "simulate/core_executor.hpp"

namespace Atoll::simulate {

template <class Core>
struct CoreExecutor<Core>::Iteration {
  /// Loops with more ranges are not repeated.
  static constexpr std::size_t kMaxRanges = CoreModel::kMaxRepeated;
  struct RangeAccess {
    std::uint32_t range;
    bool write;
    Met met;
  };
  std::array<RangeAccess, kMaxRanges> accesses;
  std::uint32_t count = 0;
  /// True if all accesses of the iteration were recorded in this quantum and would hit again.
  bool is_whole = false;
};

namespace detail {

/// `styles`: of the thread.
inline TimedAccess access_of(const recording::AccessRange& range,
                             std::span<const record::AccessStyle> styles, std::uint64_t iteration) {
  TimedAccess access{.style = styles[range.style], .write = range.write};
  access.style.depends_on = iteration == 0 ? range.depends_on : 0U;
  return access;
}

/// Number of steps from `address` for which all `bytes` of each step stay in [begin, end).
inline std::uint64_t steps_within(std::uint64_t address, std::int64_t step, std::uint64_t begin,
                                  std::uint64_t end, std::uint64_t bytes) {
  if (address < begin || address + bytes > end) return 0;
  if (step == 0) return ~std::uint64_t{0};
  return step > 0 ? (end - bytes - address) / static_cast<std::uint64_t>(step)
                  : (address - begin) / (0 - static_cast<std::uint64_t>(step));
}

}  // namespace detail

template <class Core>
bool CoreExecutor<Core>::run_loop(const Running& at, const Batch::Step& step, Ticks until) {
  Thread& thread = at.thread;
  const std::span<const recording::AccessRange> ranges = thread.batch.ranges_of(step);
  std::uint64_t longest = 0;
  for (const recording::AccessRange& range : ranges) longest = std::max(longest, range.n);
  Iteration before;
  const std::uint64_t line_mask = (std::uint64_t{1} << shape_.line_bits) - 1;
  while (thread.iteration < longest) {
    if (before.is_whole) {
      const std::uint64_t count = count_repeats(at, ranges, before);
      if (count > 0 && !repeat(at, before, count, until)) return false;
      if (thread.iteration == longest) break;
    }
    bool has_missed = false;
    before.count = 0;
    before.is_whole = thread.range == 0 && ranges.size() <= Iteration::kMaxRanges;
    for (; thread.range < step.count; ++thread.range) {
      const recording::AccessRange& range = ranges[thread.range];
      if (thread.iteration >= range.n) continue;
      const std::uint64_t address =
          range.address + thread.iteration * static_cast<std::uint64_t>(range.step);
      TimedAccess what = detail::access_of(range, thread.styles, thread.iteration);
      if (!access(at, address, range.bytes, what, until)) return false;
      // A page walk leaves lines of page tables in the caches. An atomic operation may have to wait
      // for a line that another core holds.
      before.is_whole = before.is_whole && !met_.walked && !thread.styles[range.style].atomic &&
                        (address & line_mask) + std::max(range.bytes, 1U) <= line_mask + 1;
      has_missed = has_missed || met_.hit == Hierarchy::Hit::no;
      if (!before.is_whole) continue;
      RepeatedAccess& repeated = repeated_[before.count];
      repeated.what = what;
      repeated.what.style.depends_on = 0;  // only the first iteration's access has it
      repeated.line = met_.line;
      before.accesses[before.count++] = {thread.range, range.write, met_};
    }
    for (std::uint32_t i = 0; i < before.count && has_missed && before.is_whole; ++i) {
      const auto& [range, write, met] = before.accesses[i];
      before.is_whole = hierarchy_.would_hit(thread.hw_thread, met.line, met.page, met.size, write);
    }
    thread.range = 0;
    ++thread.iteration;
  }
  thread.iteration = 0;
  return true;
}

template <class Core>
std::uint64_t CoreExecutor<Core>::count_repeats(const Running& at,
                                                std::span<const recording::AccessRange> ranges,
                                                const Iteration& before) {
  const Thread& thread = at.thread;
  std::uint64_t count = ~std::uint64_t{0};
  std::uint32_t active = 0;
  for (const recording::AccessRange& range : ranges) {
    if (range.n < thread.iteration) continue;
    ++active;
    count = std::min(count, range.n - thread.iteration);
  }
  if (active != before.count || count == 0) return 0;
  const std::uint64_t line_bytes = std::uint64_t{1} << shape_.line_bits;
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const recording::AccessRange& range = ranges[before.accesses[i].range];
    const std::uint64_t last =
        range.address + (thread.iteration - 1) * static_cast<std::uint64_t>(range.step);
    const std::uint64_t line = last & ~(line_bytes - 1);
    count = std::min(count, detail::steps_within(last, range.step, line, line + line_bytes,
                                                 std::max(range.bytes, 1U)));
    if (count == 0) return 0;
    const SimulatedProgram::Span object = program_->span_of_object(at.number, last);
    count = std::min(count, detail::steps_within(last, range.step, object.begin, object.end, 1));
  }
  if (windows_ == nullptr || !is_timed_ || count == 0) return count;
  const std::uint64_t free = windows_->next_wanted(accesses_ + 1) - (accesses_ + 1);
  return std::min(count, free / before.count);
}

template <class Core>
bool CoreExecutor<Core>::repeat(const Running& at, const Iteration& before, std::uint64_t count,
                                Ticks until) {
  Thread& thread = at.thread;
  const std::span<RepeatedAccess> all(repeated_.data(), before.count);
  const std::uint64_t most = count * before.count;
  std::uint64_t accesses_done = 0;
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const Met& met = before.accesses[i].met;
    const Met& last = before.accesses[i > 0 ? i - 1 : before.count - 1].met;
    all[i].is_quick = met.page == last.page && met.size == last.size;
  }
  if (is_timed_) {
    const CoreModel::Repeats repeats = at.core.repeat(all, most, until);
    accesses_done = repeats.done;
    thread.has_begun = repeats.has_begun;  // accesses of other threads precede it
  } else {
    for (; accesses_done < most && thread.position() < until; ++accesses_done) ++thread.untimed;
  }
  const bool is_over = accesses_done < most;
  const std::uint64_t done = accesses_done / before.count;
  const std::uint64_t next = accesses_done % before.count;  // index in the unfinished iteration
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const Met& met = before.accesses[i].met;
    const std::uint64_t accesses = done + (i < next);
    if (is_timed_) objects_[met.object].accesses += accesses;
    if (is_timed_) accesses_ += accesses;
    // Whole iterations leave the caches as they are; the accesses of a partial one are replayed.
    if (i < next)
      (void)hierarchy_.hit(thread.hw_thread, met.line, met.page, met.size, all[i].what.write);
  }
  thread.iteration += done;
  if (is_over) thread.range = before.accesses[next].range;
  return !is_over;
}

}  // namespace Atoll::simulate
