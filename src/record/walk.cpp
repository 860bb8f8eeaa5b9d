// Counts ranges of accesses in loops, page by page.
#include <utility>

#include "record/counting.hpp"
#include "record/misses.hpp"

namespace Atoll::record {
namespace {

using Lines = Line __attribute__((vector_size(16)));

/// Adds counts to all words of lines [begin, end) of a page.
void add_to_lines(ThreadState* thread, PageCounters* block, std::uint64_t begin, std::uint64_t end,
                  Line counts) {
  const Lines more = {counts, counts}, words = {kWords, kWords};
  Lines sums = {};
  std::uint64_t line = begin;
  for (; line + 2 <= end; line += 2) {
    Lines lines;  // a copy, as counters are only 8-byte aligned
    __builtin_memcpy(&lines, block->lines + line, sizeof lines);
    lines = (lines | words) + more;
    sums |= lines;
    __builtin_memcpy(block->lines + line, &lines, sizeof lines);
  }
  Line full = sums[0] | sums[1];
  for (; line != end; ++line) full |= block->lines[line] = (block->lines[line] | kWords) + counts;
  if (__builtin_expect((full & kFull) == 0, 1)) return;
  for (line = begin; line != end; ++line)
    if ((block->lines[line] & kFull) != 0) spill_counts(thread, block, line);
}

/// Records that the current task uses all bytes of a page from `address` to `stop`.
void use_dense(ThreadState* thread, const Slot& page, std::uint64_t address, std::uint64_t stop,
               Times each) {
  const bool reads = each.reads != 0, writes = each.writes != 0;
  const Line all = use_of(kWords, reads, writes, each.atomic);
  while (address < stop) {
    const std::uint64_t line_end = (address | 63U) + 1;
    const bool is_whole = (address & 63U) == 0 && line_end <= stop;
    const std::uint64_t last = (line_end < stop ? line_end : stop) - 1;
    use_in_task(thread, page.block->lines[(address >> 6) & 63U], address >> 6,
                is_whole ? all : use_of(words_of(address, last), reads, writes, each.atomic));
    address = last + 1;
  }
}

/// Counts adjacent elements that are aligned to their size, a power of two.
void count_dense(ThreadState* thread, std::uint64_t address, std::uint64_t n, std::uint32_t bytes,
                 Times each) {
  const std::uint64_t end = address + n * bytes;
  const int shift = __builtin_ctz(bytes);  // faster than a division, which would dominate
  const Times line_full = {each.reads * (64U >> shift), each.writes * (64U >> shift)};
  const bool fits = fit(line_full);
  while (address < end) {
    const Slot page = counters_of(thread, address >> 12);
    const std::uint64_t page_end = (address | 4095U) + 1;
    const std::uint64_t stop = page_end < end ? page_end : end;
    if (__builtin_expect(page.holds_by_task(address), 0)) {
      use_dense(thread, page, address, stop, each);
      address = stop;
    }
    while (address < stop) {
      const std::uint64_t line_end = (address | 63U) + 1;
      if (fits && (address & 63U) == 0 && line_end <= stop) {
        const std::uint64_t full = (stop - address) / 64, first = (address >> 6) & 63U;
        add_to_lines(thread, page.block, first, first + full, line_of(line_full));
        address += full * 64;
        continue;
      }
      const std::uint64_t line_stop = line_end < stop ? line_end : stop;
      const std::uint64_t here = (line_stop - address) >> shift;
      add(thread, page.block, (address >> 6) & 63U, Times{each.reads * here, each.writes * here},
          words_of(address, line_stop - 1));
      address = line_stop;
    }
  }
}

/// Counts elements with gaps between them. None of them crosses a line.
void count_strided(ThreadState* thread, std::uint64_t address, std::uint64_t step, std::uint64_t n,
                   std::uint32_t bytes, Times each) {
  while (n != 0) {
    const Slot page = counters_of(thread, address >> 12);
    const std::uint64_t page_end = (address | 4095U) + 1;
    std::uint64_t here = step >= 4096 ? 1 : (page_end - address + step - 1) / step;
    if (here > n) here = n;
    n -= here;
    for (; here != 0; --here, address += step)
      add(thread, page, address, each, words_of(address, address + bytes - 1));
  }
}

/// Counts the accesses of one loop. A step of 0 repeats the same access.
[[gnu::always_inline]] inline void count_line(ThreadState* thread, std::uint64_t address,
                                              std::uint64_t step, std::uint64_t n,
                                              std::uint32_t bytes, Times each) {
  if (__builtin_expect(step == 0 || n == 1, 0))
    return count(thread, address, bytes, {each.reads * n, each.writes * n, each.atomic});
  // Elements whose size is a power of two and that are aligned to it do not cross lines.
  const bool aligned = (bytes & (bytes - 1)) == 0 && ((address | step) & (bytes - 1)) == 0;
  if (aligned && step == bytes)
    count_dense(thread, address, n, bytes, each);
  else if (!aligned)
    for (; n != 0; --n, address += step) count(thread, address, bytes, each);
  else
    count_strided(thread, address, step, n, bytes, each);
}

/// One loop of a walk, with a non-negative step.
struct Dimension {
  std::uint64_t step, n;
};

Dimension forwards(std::uint64_t& address, std::int64_t step, std::uint64_t n) {
  if (step >= 0) return {static_cast<std::uint64_t>(step), n};
  address += static_cast<std::uint64_t>(step) * (n - 1);  // counts do not depend on the order
  return {-static_cast<std::uint64_t>(step), n};
}

/// Returns true if a private cache evicts the first lines of the inner loop before its end.
bool exceeds_cache(const ThreadState* thread, const Dimension& inner) {
  if (thread->record == nullptr || inner.n <= 64) return false;
  const std::uint64_t step = inner.step < 64 ? inner.step : 64;
  return inner.n * step / 64 > header()->cache_lines;
}

/// Counts a nest of two loops. It is not inlined, as single loops are far more frequent.
[[gnu::noinline]] void count_nest(ThreadState* thread, const Walk& walk) {
  std::uint64_t address = walk.address;
  Times each = {walk.reads, walk.writes, walk.atomic};
  Dimension inner = forwards(address, walk.step, walk.n);
  if (exceeds_cache(thread, inner)) {  // each access comes from memory, so the order matters
    for (std::uint64_t left = walk.outer_n; left != 0; --left) {
      count_line(thread, address, inner.step, inner.n, walk.bytes, each);
      address += static_cast<std::uint64_t>(walk.outer_step);
    }
    return;
  }
  Dimension outer = forwards(address, walk.outer_step, walk.outer_n);
  // Puts the smaller step inside, to count by lines. A step of 0 repeats the same accesses.
  if (outer.step < inner.step) std::swap(inner, outer);
  if (inner.step == 0 || inner.n == 1) {
    each.reads *= inner.n;
    each.writes *= inner.n;
    inner = outer;
    outer = {0, 1};
  }
  if (outer.step == inner.step * inner.n) {  // rows are contiguous
    inner.n *= outer.n;
    outer = {0, 1};
  }
  for (; outer.n != 0; --outer.n, address += outer.step)
    count_line(thread, address, inner.step, inner.n, walk.bytes, each);
}

}  // namespace

void count_walk(ThreadState* thread, const Walk& walk) {
  if (walk.n == 0 || walk.outer_n == 0) return;
  const bool single = walk.n == 1;  // only the outer loop has several iterations
  if (__builtin_expect(!single && walk.outer_n != 1, 0)) return count_nest(thread, walk);
  std::uint64_t address = walk.address;
  const Dimension line = single ? forwards(address, walk.outer_step, walk.outer_n)
                                : forwards(address, walk.step, walk.n);
  count_line(thread, address, line.step, line.n, walk.bytes,
             {walk.reads, walk.writes, walk.atomic});
}

}  // namespace Atoll::record
