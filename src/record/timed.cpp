// Timed streams. An access's word has 7 bits for the number of a style that was recorded before.
// Programs repeat themselves, so few styles are recorded, and most accesses need only one word.
#include "record/timed.hpp"

#include <string.h>

#include "atoll/base/hash.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kMaxInstructions = std::uint64_t{1} << 24;
constexpr std::uint64_t kWorkBeforeRange = 64;  // instructions; less work is recorded after the
                                                // range

bool streaming() {
  return header()->pause_reasons.load(std::memory_order_relaxed) == 0;
}

/// Rounds down to five significant bits, which limits the number of styles. The remainder is
/// recorded with the next access.
std::uint64_t rounded_down(std::uint64_t number) {
  if (number < 32) return number;
  const int shift = 59 - __builtin_clzll(number);
  return number >> shift << shift;
}

bool fits_style(const TimedCounts& counts) {
  const Work work = counts.work();
  return work.instructions <= kMaxInstructions && work.divisions <= kMaxSlow &&
         work.chain <= kMaxSlow && counts.steps <= kMaxSteps;
}

/// Moves as much of the counts as fits into a style.
Style take_style(TimedCounts& counts, std::uint32_t depends_on, bool atomic) {
  const Work work = counts.work();
  const Style style{
      .access = {.work = {.instructions =
                              static_cast<std::uint32_t>(rounded_down(work.instructions)),
                          .divisions = static_cast<std::uint32_t>(rounded_down(work.divisions)),
                          .chain = static_cast<std::uint32_t>(rounded_down(work.chain))},
                 .depends_on = depends_on,
                 .atomic = atomic},
      .steps = static_cast<std::uint16_t>(counts.steps)};
  counts.instructions -= style.access.work.instructions;
  counts.slow -= slow_word(style.access.work);
  counts.steps = 0;
  return style;
}

/// Returns the style's index. `is_new` is set if the style has to be recorded first.
std::uint32_t index_of(StyleTable& table, const Style& style, bool& is_new) {
  is_new = false;
  if (style == Style{}) return 0;
  const std::uint64_t first = style_word(style, 0), second = second_style_word(style);
  const std::uint64_t mixed = golden_hash(first, second);
  std::uint8_t(&bucket)[2] = table.buckets[mixed >> 56];
  for (const std::uint8_t index : bucket)
    if (index != 0 && table.styles[index][0] == first && table.styles[index][1] == second)
      return index;
  is_new = true;
  const std::uint32_t index = table.next + 1;
  table.next = index % (kToldStyles - 1);
  table.styles[index][0] = first;
  table.styles[index][1] = second;
  bucket[1] = bucket[0];
  bucket[0] = static_cast<std::uint8_t>(index);
  return index;
}

}  // namespace

bool is_timed() {
  return header() != nullptr && header()->timed != 0 && is_stream();
}

StyleTable* style_table(ThreadState* thread) {
  if (thread->styles == 0) thread->styles = allocate_in_region(sizeof(StyleTable));
  return thread->styles == 0 ? nullptr : at_offset<StyleTable>(thread->styles);
}

void forget_styles(ThreadState* thread) {
  thread->timed = {};
  if (thread->styles != 0) ::memset(at_offset<void>(thread->styles), 0, sizeof(StyleTable));
}

void put_work(ThreadState* thread) {
  TimedCounts& counts = thread->timed;
  if (counts.is_none()) return;
  const auto record =
      encode_record<RecordKind::work>(counts.instructions, counts.slow, counts.steps);
  counts.clear();
  if (streaming() && !put_in_ring(thread, record.words, record.kWords))
    thread->record->stream_lost += 1;
}

void record_work_before_range(ThreadState* thread) {
  if (thread->timed.steps == 0 && thread->timed.instructions < kWorkBeforeRange) return;
  const Entered entered(thread);
  if (entered) put_work(thread);
}

void append_styled(ThreadState* thread, std::uint64_t* words, std::size_t count, const Style& style,
                   bool goes_on) {
  if (style == Style{}) return append(thread, words, count, goes_on);
  StyleTable* table = nullptr;
  bool is_new = false;
  std::uint32_t index = 0;
  {
    const Entered entered(thread);  // a signal handler must not change the table meanwhile
    if (!entered) {
      thread->record->stream_lost += 1;
      return;
    }
    table = style_table(thread);
    if (table != nullptr) index = index_of(*table, style, is_new);
    if (is_new) {
      const auto told =
          encode_record<RecordKind::style>(style_word(style, index), second_style_word(style));
      if (!put_in_ring(thread, told.words, told.kWords)) thread->record->stream_lost += 1;
    }
  }
  words[0] = with_style(words[0], index);
  append(thread, words, count, goes_on);
}

std::uint64_t record_timed(ThreadState* thread, std::uint64_t address, std::uint32_t bytes,
                           bool is_write, const Timing& timing) {
  if (!is_timed_stream(thread)) {
    if (is_write && timing.atomic)
      record_atomic_write(thread, address, bytes);
    else
      record(thread, address, bytes, is_write);
    return 0;
  }
  detect_fork();
  TimedCounts& counts = thread->timed;
  const std::uint32_t back = loads_back(counts.loads, timing.dependence);
  if (!is_write) ++counts.loads;
  if (!streaming()) {
    counts.clear();
    return counts.loads;
  }
  counts.add(timing.work);
  if (__builtin_expect(!fits_style(counts), 0)) {
    const Entered entered(thread);
    if (entered) put_work(thread);
  }
  std::uint64_t word = stream_word(WordKind::access, address, bytes, is_write);
  append_styled(thread, &word, 1, take_style(counts, back, timing.atomic), false);
  return counts.loads;
}

void record_walk_timed(ThreadState* thread, const Walk& walk, const Timing& timing, bool more) {
  if (is_timed_stream(thread))
    if (StyleTable* table = style_table(thread); table != nullptr)
      table->walks[thread->walk_count] = timing;
  record_walk(thread, walk, more);
}

}  // namespace Atoll::record
