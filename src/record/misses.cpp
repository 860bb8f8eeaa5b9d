#include "record/misses.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kFirstPages = 256;  // initial room for SampledPages

std::uint64_t cpu_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void begin_generation(ThreadState* thread, bool counts) {
  thread->stretch.lines_left = lines_of_generation();
  thread->stretch.counts = counts && !thread->stretch.is_over;
  clear_slots(thread);  // forces a lookup of each page
}

/// Adds the accesses since the begin of the watch to the PageCounters.
void add_samples(ThreadState* thread) {
  ThreadRecord* record = thread->record;
  const auto* pages = at_offset<SampledPage>(thread->stretch.pages);
  const std::uint64_t count = record->sampled_pages.load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto* block = at_offset<PageCounters>(pages[i].block);
    const PageSums& before = pages[i].before;
    const PageSums now = sum_of_counts(*block);
    if (!tells_of_reuse(*block, before)) {
      block->misses = pages[i].misses_before;
      block->accesses = before.lines != 0 ? 0 : -1;
      if (before.lines != 0 || now.words == 0) continue;
      const double uses = static_cast<double>(now.accesses) / static_cast<double>(now.words);
      // A pass over bytes uses each word eight times.
      record->new_page_uses += uses < 1 ? 1 : uses > 8 ? 8 : uses;
      ++record->new_pages;
      continue;
    }
    block->accesses +=
        static_cast<float>(static_cast<std::int64_t>(now.accesses - before.accesses));
    block->first_uses = static_cast<std::uint16_t>(block->first_uses + now.words - before.words);
  }
  record->sampled_pages.store(0, std::memory_order_release);
}

bool grow(ThreadState* thread) {
  SamplingBurst& stretch = thread->stretch;
  // The rest of the region is reserved for pages without lines.
  if (header()->used.load(std::memory_order_relaxed) >= header()->lines_until) return false;
  const std::uint64_t room = stretch.pages_room == 0 ? kFirstPages : 2 * stretch.pages_room;
  void* pages = allocate_in_room(thread, room * sizeof(SampledPage));
  if (pages == nullptr) return false;
  const std::uint64_t count = thread->record->sampled_pages.load(std::memory_order_relaxed);
  if (count != 0)
    __builtin_memcpy(pages, at_offset<void>(stretch.pages), count * sizeof(SampledPage));
  stretch.pages = offset_of(pages);
  stretch.pages_room = room;
  thread->record->sampled.store(stretch.pages, std::memory_order_release);
  return true;
}

void add_page(ThreadState* thread, const PageCounters* block) {
  ThreadRecord* record = thread->record;
  const std::uint64_t count = record->sampled_pages.load(std::memory_order_relaxed);
  if (count == thread->stretch.pages_room && !grow(thread)) {
    end_stretch(thread);
    thread->stretch.is_over = true;
    return;
  }
  if (count == 0) record->sampled.store(thread->stretch.pages, std::memory_order_release);
  at_offset<SampledPage>(thread->stretch.pages)[count] = {offset_of(block), sum_of_counts(*block),
                                                          block->misses, 0};
  record->sampled_pages.store(count + 1, std::memory_order_release);
}

}  // namespace

void begin_stretch(ThreadState* thread) {
  SamplingBurst& stretch = thread->stretch;
  if (header()->cache_lines == 0 || stretch.is_over) {
    stretch.finds_left = ~std::uint32_t{0};
    return;
  }
  stretch.is_first = stretch.generation == 0;
  stretch.generation += 2;
  stretch.generations_left = stretch.is_first ? kFirstGenerations : kGenerations;
  stretch.generations = 0;
  stretch.began_ns = cpu_ns();
  begin_generation(thread, stretch.is_first);
}

void look_at_clock(ThreadState* thread) {
  thread->stretch.finds_left = kFindsBetweenLooks;
  SamplingBurst& stretch = thread->stretch;
  const std::uint64_t now = now_ns();
  if (now < stretch.look_ns) return;  // reading CPU time takes a system call
  const std::uint64_t used = cpu_ns();
  if (used >= stretch.next_ns) return begin_stretch(thread);
  stretch.look_ns = now + stretch.next_ns - used;
}

void end_stretch(ThreadState* thread) {
  SamplingBurst& stretch = thread->stretch;
  if (!is_in_stretch(thread)) return;
  add_samples(thread);
  stretch.generations_left = 0;
  stretch.counts = false;
  const std::uint64_t now = cpu_ns();
  // The first stretch has more generations than others, so its length is scaled.
  const std::uint64_t length = (now - stretch.began_ns) / (stretch.generations + 1) * kGenerations;
  std::uint64_t pause = now / 8;
  if (pause < kShortestPause * length) pause = kShortestPause * length;
  if (pause > kLongestPause * length) pause = kLongestPause * length;
  stretch.next_ns = now + pause;
  stretch.look_ns = now_ns() + pause;
  stretch.finds_left = kFindsBetweenLooks;
}

void watch(ThreadState* thread, PageCounters* block) {
  const SamplingBurst& stretch = thread->stretch;
  std::uint64_t used = block->generation + 1 == stretch.generation ? ~block->watched : 0;
  for (std::uint64_t line = 0; line < 64; ++line) {
    if ((block->watched >> line & 1U) == 0 &&
        __builtin_expect((block->lines[line] & (kFull | kHalfFull)) != 0, 0))
      carry_counts(thread, block, line);
    if ((block->lines[line] & kWords) == 0) used |= std::uint64_t{1} << line;
  }
  block->used_before = used;
  block->watched = ~std::uint64_t{0};
  block->generation = stretch.generation;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for (Line& line : block->lines) or_at_once(line, kFull);
  if (stretch.counts) add_page(thread, block);
}

void use_line(ThreadState* thread, PageCounters* block, std::uint64_t line) {
  __atomic_fetch_and(&block->lines[line], ~kFull, __ATOMIC_RELAXED);
  block->watched &= ~(std::uint64_t{1} << line);
  SamplingBurst& stretch = thread->stretch;
  // The counters may be of an earlier stretch, or of the previous generation if the page is used
  // across its end.
  if (!is_in_stretch(thread) || block->generation != stretch.generation) return;
  if (stretch.counts && (block->used_before >> line & 1U) == 0) block->misses += 1;
  if (--stretch.lines_left != 0) return;
  std::uint32_t left = stretch.generations_left - 1;
  if (left == 0 && stretch.is_first && cpu_ns() < stretch.began_ns + kFirstStretchNs) left = 1;
  if (left == 0) return end_stretch(thread);
  add_samples(thread);
  stretch.generations_left = left;
  ++stretch.generation;
  ++stretch.generations;
  begin_generation(thread, true);
}

}  // namespace Atoll::record
