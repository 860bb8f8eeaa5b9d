// Loops in the engine. Most iterations of a loop over arrays stay in the lines of the iteration
// before. If level 1 and the first-level TLB hold all of them, these accesses hit and leave caches
// and TLB unchanged. Then only their time is computed.
#include <algorithm>
#include <array>

#include "simulate/engine.hpp"

namespace Atoll::simulate {

struct Engine::Iteration {
  /// Loops with more ranges are not repeated.
  static constexpr std::size_t kMaxRanges = Core::kMaxRepeated;
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

namespace {

Core::Access access_of(const OpRange& range, std::uint64_t iteration) {
  return {.instructions = range.instructions,
          .depends_on = iteration == 0 ? range.depends_on : 0U,
          .write = range.write,
          .atomic = range.atomic,
          .divisions = range.divisions,
          .chain = range.chain};
}

/// Number of steps from `address` for which all `bytes` of each step stay in [begin, end).
std::uint64_t steps_within(std::uint64_t address, std::int64_t step, std::uint64_t begin,
                           std::uint64_t end, std::uint64_t bytes) {
  if (address < begin || address + bytes > end) return 0;
  if (step == 0) return ~std::uint64_t{0};
  return step > 0 ? (end - bytes - address) / static_cast<std::uint64_t>(step)
                  : (address - begin) / (0 - static_cast<std::uint64_t>(step));
}

}  // namespace

bool Engine::run_loop(std::uint32_t thread, const Op& op, Ticks until) {
  Running& running = threads_[thread];
  const std::span<const OpRange> ranges(running.batch.ranges.data() + op.first, op.count);
  std::uint64_t longest = 0;
  for (const OpRange& range : ranges) longest = std::max(longest, range.n);
  Iteration before;
  const std::uint64_t line_mask = (std::uint64_t{1} << shape_.line_bits) - 1;
  while (running.iteration < longest) {
    if (before.is_whole) {
      const std::uint64_t count = count_repeats(thread, ranges, before);
      if (count > 0 && !repeat(thread, ranges, before, count, until)) return false;
      if (running.iteration == longest) break;
    }
    bool has_missed = false;
    before.count = 0;
    before.is_whole = running.range == 0 && ranges.size() <= Iteration::kMaxRanges;
    for (; running.range < op.count; ++running.range) {
      const OpRange& range = ranges[running.range];
      if (running.iteration >= range.n) continue;
      const std::uint64_t address =
          range.address + running.iteration * static_cast<std::uint64_t>(range.step);
      if (!access(thread, address, range.bytes, access_of(range, running.iteration), until))
        return false;
      // A page walk leaves lines of page tables in the caches. An atomic operation may have to wait
      // for a line that another core holds.
      before.is_whole = before.is_whole && !met_.walked && !range.atomic &&
                        (address & line_mask) + std::max(range.bytes, 1U) <= line_mask + 1;
      has_missed = has_missed || met_.hit == Hierarchy::Hit::no;
      if (before.is_whole) before.accesses[before.count++] = {running.range, range.write, met_};
    }
    for (std::uint32_t i = 0; i < before.count && has_missed && before.is_whole; ++i) {
      const auto& [range, write, met] = before.accesses[i];
      before.is_whole =
          hierarchy_.would_hit(running.hw_thread, met.line, met.page, met.size, write);
    }
    running.range = 0;
    ++running.iteration;
  }
  running.iteration = 0;
  return true;
}

std::uint64_t Engine::count_repeats(std::uint32_t thread, std::span<const OpRange> ranges,
                                    const Iteration& before) {
  const Running& running = threads_[thread];
  std::uint64_t count = ~std::uint64_t{0};
  std::uint32_t active = 0;
  for (const OpRange& range : ranges) {
    if (range.n < running.iteration) continue;
    ++active;
    count = std::min(count, range.n - running.iteration);
  }
  if (active != before.count || count == 0) return 0;
  const std::uint64_t line_bytes = std::uint64_t{1} << shape_.line_bits;
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const OpRange& range = ranges[before.accesses[i].range];
    const std::uint64_t last =
        range.address + (running.iteration - 1) * static_cast<std::uint64_t>(range.step);
    const std::uint64_t line = last & ~(line_bytes - 1);
    count = std::min(
        count, steps_within(last, range.step, line, line + line_bytes, std::max(range.bytes, 1U)));
    if (count == 0) return 0;
    const SimulatedProgram::Span object = program_->span_of_object(thread, last);
    count = std::min(count, steps_within(last, range.step, object.begin, object.end, 1));
  }
  if (options_.windows == nullptr || !timed_ || count == 0) return count;
  const std::uint64_t free = options_.windows->next_wanted(accesses_ + 1) - (accesses_ + 1);
  return std::min(count, free / before.count);
}

bool Engine::repeat(std::uint32_t thread, std::span<const OpRange> ranges, const Iteration& before,
                    std::uint64_t count, Ticks until) {
  Running& running = threads_[thread];
  Core& core = running.core;
  const std::span<Core::Repeated> all(repeated_.data(), before.count);
  bool are_plain = timed_;
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const Met& met = before.accesses[i].met;
    const Met& last = before.accesses[i > 0 ? i - 1 : before.count - 1].met;
    all[i].what = access_of(ranges[before.accesses[i].range], running.iteration);
    all[i].what.object = met.object;
    core.prepare(all[i], met.line, met.page == last.page && met.size == last.size);
    are_plain = are_plain && all[i].is_plain;
  }
  const auto do_one = [&](const Core::Repeated& one, LineKey line) {
    if (position(running) >= until) return false;
    if (!timed_) {
      ++running.untimed;
      return true;
    }
    core.begin(one.what);
    running.has_begun = core.now() >= until;  // accesses of other threads precede it
    if (running.has_begun) return false;
    if (one.is_quick)
      core.quick(one.what, line);
    else
      core.hit(one.what, line);
    return true;
  };
  const std::uint64_t most = count * before.count;
  std::uint64_t accesses_done = 0;
  if (are_plain) {
    const Core::Repeats repeats = core.repeat(all, most, until);
    accesses_done = repeats.done;
    running.has_begun = repeats.has_begun;
  } else {
    for (std::uint32_t i = 0; accesses_done < most; i = i + 1 == before.count ? 0 : i + 1) {
      if (!do_one(all[i], before.accesses[i].met.line)) break;
      ++accesses_done;
    }
  }
  const bool is_over = accesses_done < most;
  const std::uint64_t done = accesses_done / before.count;
  const std::uint64_t next = accesses_done % before.count;  // index in the unfinished iteration
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const Met& met = before.accesses[i].met;
    const std::uint64_t accesses = done + (i < next);
    if (timed_) objects_[met.object].accesses += accesses;
    if (timed_) accesses_ += accesses;
    // Whole iterations leave the caches as they are; the accesses of a partial one are replayed.
    if (i < next)
      (void)hierarchy_.hit(running.hw_thread, met.line, met.page, met.size, all[i].what.write);
  }
  running.iteration += done;
  if (is_over) running.range = before.accesses[next].range;
  return !is_over;
}

}  // namespace Atoll::simulate
