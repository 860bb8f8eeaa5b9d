// Records accesses, in counters or in the stream.
#include "record/counting.hpp"
#include "record/stream_words.hpp"
#include "record/timed.hpp"

namespace Atoll::record {
namespace {

bool in_stream(const ThreadState* thread) {
  return thread->record != nullptr && header()->mode == Mode::stream;
}

/// Returns true if accesses are currently recorded in the stream.
bool streaming() {
  return header()->pause_reasons.load(std::memory_order_relaxed) == 0;
}

}  // namespace

void stream_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more, const Style& style) {
  const bool goes_on = thread->in_loop != 0, part = more || goes_on;
  if (part && !goes_on) ++thread->loop;
  thread->in_loop = more ? 1 : 0;
  if (header()->timed != 0) {
    if (!is_write && !style.stepped) thread->timed.loads += n;
    if (!goes_on) record_work_before_range(thread);
  }
  if (n == 0 || !streaming()) return;
  std::uint64_t words[4] = {
      stream_word(WordKind::range, address, bytes, is_write), static_cast<std::uint64_t>(step), n,
      (part ? thread->loop : 0) | std::uint64_t{style.access.depends_on} << kDependenceOfRange};
  Style of_each = style;
  of_each.access.depends_on = 0;
  append_styled(thread, words, 4, of_each, goes_on);
}

void record(ThreadState* thread, std::uint64_t address, std::uint32_t bytes, bool is_write) {
  if (__builtin_expect(!in_stream(thread), 1)) {
    count(thread, address, bytes, is_write ? Times{0, 1} : Times{1, 0});
    return;
  }
  if (header()->timed != 0) {
    record_timed(thread, address, bytes, is_write, {});
    return;
  }
  if (!streaming()) return;
  const std::uint64_t word = stream_word(WordKind::access, address, bytes, is_write);
  append(thread, &word, 1);
}

void record_atomic_write(ThreadState* thread, std::uint64_t address, std::uint32_t bytes) {
  if (in_stream(thread)) return record(thread, address, bytes, true);
  count(thread, address, bytes, {.reads = 0, .writes = 1, .atomic = true});
}

void record_lanes(ThreadState* thread, std::uint64_t address, std::uint64_t lanes,
                  std::uint32_t bytes, bool is_write) {
  if (lanes == 0) return;
  const auto first = static_cast<std::uint32_t>(__builtin_ctzll(lanes));
  const auto end = 64 - static_cast<std::uint32_t>(__builtin_clzll(lanes));
  const std::uint32_t length = (end - first) * bytes;
  const std::uint64_t begin = address + std::uint64_t{first} * bytes;
  if (length > 64) return record_bytes(thread, begin, length, is_write);
  if (in_stream(thread)) return record(thread, begin, length, is_write);
  std::uint8_t words[2] = {};  // words accessed in the first lane's line, and in the next line
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t lane = address + static_cast<std::uint64_t>(__builtin_ctzll(lanes)) * bytes;
    for (std::uint64_t word = lane >> 3; word <= (lane + bytes - 1) >> 3; ++word)
      words[(word >> 3) - (begin >> 6)] |= static_cast<std::uint8_t>(1U << (word & 7U));
  }
  count(thread, begin, begin + length - 1, is_write ? Times{0, 1} : Times{1, 0}, words[0],
        words[1]);
}

void record_repeated(ThreadState* thread, std::uint64_t address, std::uint64_t n,
                     std::uint32_t bytes, bool is_write) {
  if (n == 0) return;
  if (in_stream(thread))
    stream_range(thread, address, 0, n, bytes, is_write, false, {});
  else
    count(thread, address, bytes, is_write ? Times{0, n} : Times{n, 0});
}

void record_range(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                  std::uint32_t bytes, bool is_write, bool more) {
  if (in_stream(thread)) {
    stream_range(thread, address, step, n, bytes, is_write, more, {});
    return;
  }
  count_walk(thread, {.address = address,
                      .step = step,
                      .n = n,
                      .bytes = bytes,
                      .reads = is_write ? 0U : 1U,
                      .writes = is_write ? 1U : 0U});
}

void record_walk(ThreadState* thread, const Walk& walk, bool more) {
  if (__builtin_expect(!in_stream(thread), 1))
    count_walk(thread, walk);
  else
    stream_walk(thread, walk, more);
}

void record_bytes(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool is_write,
                  std::uint32_t unit) {
  const std::uint64_t whole = bytes / unit;
  record_range(thread, address, unit, whole, unit, is_write);
  const auto rest = static_cast<std::uint32_t>(bytes - whole * unit);
  if (rest != 0) record(thread, address + whole * unit, rest, is_write);
}

}  // namespace Atoll::record
