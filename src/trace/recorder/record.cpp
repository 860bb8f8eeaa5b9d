// Accesses, counted: one by one, and ranges a page at a time.
#include "trace/recorder/inside.hpp"
#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace::recorder {
namespace {

using Counters = std::uint32_t __attribute__((vector_size(32), aligned(4), may_alias));

bool in_stream(const ThreadState* thread) {
  return thread->record != nullptr && header()->mode == Mode::stream;
}

/// Whether accesses go to the stream now.
bool streaming() {
  return header()->recording.load(std::memory_order_relaxed) != 0;
}

Block* block_of(ThreadState* thread, std::uint64_t page) {
  const Slot& slot = thread->slots[page % kSlots];
  return __builtin_expect(slot.page == page, 1) ? slot.block : find_block(thread, page);
}

std::uint8_t words_of(std::uint64_t first_byte, std::uint64_t last_byte) {
  return static_cast<std::uint8_t>((2U << ((last_byte & 63U) >> 3)) -
                                   (1U << ((first_byte & 63U) >> 3)));
}

void add(ThreadState* thread, Block* block, std::uint32_t line, std::uint64_t n, bool is_write,
         std::uint8_t words) {
  std::uint32_t& counter = is_write ? block->lines[line].writes : block->lines[line].reads;
  const std::uint32_t before = counter;
  counter = before + static_cast<std::uint32_t>(n);
  block->words[line] |= words;
  std::uint64_t wraps = (n >> 32) + (counter < before ? 1 : 0);
  for (; __builtin_expect(wraps != 0, 0); --wraps) carry(thread, block, line, is_write);
}

/// n accesses at one address.
void count(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, std::uint64_t n,
           bool is_write) {
  const std::uint64_t last = address + bytes - 1;
  Block* block = block_of(thread, address >> 12);
  const auto line = static_cast<std::uint32_t>((address >> 6) & 63U);
  if (__builtin_expect((address ^ last) < 64, 1)) {
    add(thread, block, line, n, is_write, words_of(address, last));
    return;
  }
  add(thread, block, line, n, is_write, words_of(address, 63));
  // The second line is accessed as well; that it was one access is kept in split_accesses.
  if (thread->record != nullptr) thread->record->split_accesses += n;
  block = block_of(thread, last >> 12);
  add(thread, block, static_cast<std::uint32_t>((last >> 6) & 63U), n, is_write, words_of(0, last));
}

/// All 64 lines of a page: `each` accesses more.
void add_to_page(ThreadState* thread, Block* block, std::uint32_t each, bool is_write) {
  const Counters more = is_write ? Counters{0, each, 0, each, 0, each, 0, each}
                                 : Counters{each, 0, each, 0, each, 0, each, 0};
  auto* counters = reinterpret_cast<Counters*>(block->lines);
  Counters wrapped = {};
  for (int i = 0; i < 16; ++i) {
    const Counters sum = counters[i] + more;
    wrapped |= sum < more;
    counters[i] = sum;
  }
  __builtin_memset(block->words, 0xff, sizeof block->words);
  std::uint64_t any = 0;
  for (int i = 0; i < 8; ++i) any |= wrapped[i];
  if (__builtin_expect(any == 0, 1)) return;
  for (std::uint32_t line = 0; line < 64; ++line)
    if ((is_write ? block->lines[line].writes : block->lines[line].reads) < each)
      carry(thread, block, line, is_write);
}

/// Elements that lie side by side, none across lines.
void count_dense(ThreadState* thread, std::uint64_t address, std::uint64_t n, std::uint32_t bytes,
                 bool is_write) {
  const std::uint64_t end = address + n * bytes;
  while (address < end) {
    Block* block = block_of(thread, address >> 12);
    const std::uint64_t page_end = (address | 4095U) + 1;
    if ((address & 4095U) == 0 && page_end <= end) {
      add_to_page(thread, block, 64 / bytes, is_write);
      address = page_end;
      continue;
    }
    const std::uint64_t stop = page_end < end ? page_end : end;
    while (address < stop) {
      const std::uint64_t line_end = (address | 63U) + 1;
      const std::uint64_t line_stop = line_end < stop ? line_end : stop;
      add(thread, block, static_cast<std::uint32_t>((address >> 6) & 63U),
          (line_stop - address) / bytes, is_write, words_of(address, line_stop - 1));
      address = line_stop;
    }
  }
}

/// Elements further apart than their length or across lines, one by one, within a page by the same
/// block.
void count_strided(ThreadState* thread, std::uint64_t address, std::uint64_t step, std::uint64_t n,
                   std::uint32_t bytes, bool is_write, bool aligned) {
  if (!aligned) {
    for (; n != 0; --n, address += step) count(thread, address, bytes, 1, is_write);
    return;
  }
  while (n != 0) {
    Block* block = block_of(thread, address >> 12);
    const std::uint64_t page_end = (address | 4095U) + 1;
    std::uint64_t here = step >= 4096 ? 1 : (page_end - address + step - 1) / step;
    if (here > n) here = n;
    n -= here;
    if (!is_write) {
      for (; here != 0; --here, address += step) {
        const std::uint64_t line = (address >> 6) & 63U;
        if (__builtin_expect(++block->lines[line].reads == 0, 0))
          carry(thread, block, static_cast<std::uint32_t>(line), false);
        block->words[line] |= words_of(address, address + bytes - 1);
      }
    } else {
      for (; here != 0; --here, address += step) {
        const std::uint64_t line = (address >> 6) & 63U;
        if (__builtin_expect(++block->lines[line].writes == 0, 0))
          carry(thread, block, static_cast<std::uint32_t>(line), true);
        block->words[line] |= words_of(address, address + bytes - 1);
      }
    }
  }
}

void stream_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more) {
  const bool part = more || thread->in_loop != 0;
  if (part && thread->in_loop == 0) ++thread->loop;
  thread->in_loop = more ? 1 : 0;
  if (n == 0 || !streaming()) return;
  const std::uint64_t words[4] = {stream_word(WordKind::range, address, bytes, is_write),
                                  static_cast<std::uint64_t>(step), n, part ? thread->loop : 0};
  append(thread, words, 4);
}

}  // namespace

void record(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, bool is_write) {
  if (__builtin_expect(!in_stream(thread), 1)) {
    count(thread, address, bytes, 1, is_write);
    return;
  }
  if (!streaming()) return;
  const std::uint64_t word = stream_word(WordKind::access, address, bytes, is_write);
  append(thread, &word, 1);
}

void record_repeated(ThreadState* thread, std::uint64_t address, std::uint64_t n,
                     std::uint32_t bytes, bool is_write) {
  if (n == 0) return;
  if (in_stream(thread))
    stream_range(thread, address, 0, n, bytes, is_write, false);
  else
    count(thread, address, bytes, n, is_write);
}

void record_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more) {
  if (in_stream(thread)) {
    stream_range(thread, address, step, n, bytes, is_write, more);
    return;
  }
  if (n == 0) return;
  if (step == 0) {
    count(thread, address, bytes, n, is_write);
    return;
  }
  if (step < 0) {  // counts don't know the order
    address += static_cast<std::uint64_t>(step) * (n - 1);
    step = -step;
  }
  const auto distance = static_cast<std::uint64_t>(step);
  // Powers of two at their multiples don't cross lines.
  const bool aligned = (bytes & (bytes - 1)) == 0 && ((address | distance) & (bytes - 1)) == 0;
  if (aligned && distance == bytes)
    count_dense(thread, address, n, bytes, is_write);
  else
    count_strided(thread, address, distance, n, bytes, is_write, aligned);
}

void record_bytes(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool is_write,
                  std::uint32_t unit) {
  const std::uint64_t whole = bytes / unit;
  record_range(thread, address, unit, whole, unit, is_write);
  const auto rest = static_cast<std::uint32_t>(bytes - whole * unit);
  if (rest != 0) record(thread, address + whole * unit, rest, is_write);
}

}  // namespace Atoll::trace::recorder
