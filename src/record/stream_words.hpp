// Records of a stream, in a ring or in a stream file (docs/trace-file.md). The first word of a
// record has its kind and the number of words that follow. The recorder writes them; `atoll` and
// its tools read them.
#pragma once

#include <cstdint>

namespace Atoll::record {

/// Kind of a word: the lowest two bits of a record's first word.
/// Word of an access or a range: kind (2 bits), write (1), bytes - 1 (6), style (7), address (48).
/// The writer splits accesses longer than 64 bytes; addresses beyond 48 bits become a range. The
/// style is 0 unless the stream is timed.
/// Word of another record: kind (2 bits), RecordKind (14), number of words that follow (32), 0
/// (16).
enum class WordKind : std::uint64_t {
  access,  ///< no further words
  range,   ///< followed by step (signed), n, loop (its number; ranges of a loop are consecutive; 0:
           ///< alone). Timed streams: the upper 16 bits of the loop's word are the first access's
           ///< dependence
  other,   ///< a RecordKind
};

/// Readers skip unknown kinds, and additional words of known kinds. The first word that follows is
/// a number of events (Header::sequence). For an event, it is its own number, which is the number
/// of events before it; for a clock, the number of events that the thread has seen.
enum class RecordKind : std::uint64_t {
  clock = 1,  ///< sets the thread's clock: the number of events so far
  thread_created,
  thread_begun,
  thread_ended,
  thread_joined,
  allocated,  ///< followed by address, bytes; so are the next three kinds
  freed,
  mapped,
  unmapped,
  mark_begin,
  mark_end,
  mark_iteration,
  // Timed streams; these have no number of events.
  style = 64,  ///< two words of a Style; defines the style of its index from now on
  work,        ///< work without access: instructions, a word like TimedCounts::slow, steps
  // Timed streams; not events. The first word is the number of events that the thread has seen.
  released = 80,  ///< followed by release number, key, number of threads with a turn request
                  ///< that resume (0: all)
  waited,         ///< followed by the number of the release that ended the wait
  barrier,        ///< followed by key, generation, number of participants
  posted,         ///< followed by the semaphore's key, number of the post
  took,           ///< followed by the semaphore's key, number of the post that resumed the thread
  asleep,         ///< followed by two keys: the thread may block from here until its next record
  expects,        ///< followed by a release number, number of other threads that resume after it
  turn,           ///< followed by a key or 0: the thread requests a turn, granted after a
                  ///< release of the key; live streams only
  policy_of_range = 96,  ///< followed by address, bytes, mode of mbind() + its flags << 32, nodes
  policy_of_thread,      ///< followed by mode of set_mempolicy(), words of nodes
  pages_moved,           ///< followed by address, bytes, node
  huge_pages,            ///< followed by address, bytes, 1: enabled or 0: disabled
  bound,                 ///< followed by the thread's tid, words of processing units
  pages_populated,       ///< followed by address, bytes, 1: as by writes or 0: as by reads
  pages_discarded,       ///< followed by address, bytes, 0
  pages_remapped,        ///< followed by address, bytes, new address
  pages_asked,           ///< followed by address, bytes, question (simulate/inside/view.hpp)
  pages_cached,          ///< followed by address, bytes, tid that allocated them or 0
  // Tasks; not events. The first word is the number of events that the thread has seen.
  task_begun = 128,  ///< followed by the loop's index in the recording, number of the task
  task_ended,
};

/// Properties of an access in a timed stream; of a range: of each iteration's access.
struct Style {
  std::uint32_t instructions = 0;  ///< executed between the thread's previous access and this one
  std::uint32_t depends_on = 0;    ///< the address comes from the n-th load before; 0: from none
  std::uint16_t divisions = 0;     ///< divisions among them; at most kMaxSlow, as is `chain`
  std::uint16_t chain = 0;         ///< steps of a chain of floating-point operations among them
  std::uint16_t steps = 0;         ///< iterations of the stepped loop before it; at most 255
  bool atomic = false;
  bool stepped = false;  ///< range whose iterations are interleaved with accesses that have steps
  friend bool operator==(const Style&, const Style&) = default;
};
/// The last style number is reserved for readers' internal use.
inline constexpr std::uint32_t kStyles = 128, kToldStyles = kStyles - 1;
inline constexpr unsigned kDependenceOfRange = 48;  ///< bit position in the loop's word
inline constexpr std::uint32_t kMaxSlow = 4095, kMaxSteps = 255;
inline constexpr std::uint64_t style_word(const Style& style, std::uint32_t index) {
  return index | std::uint64_t{style.atomic} << 7 | std::uint64_t{style.stepped} << 8 |
         std::uint64_t{style.steps} << 16 | std::uint64_t{style.divisions} << 24 |
         std::uint64_t{style.chain} << 36;
}
inline constexpr std::uint64_t second_style_word(const Style& style) {
  return style.instructions | std::uint64_t{style.depends_on} << 32;
}
inline constexpr std::uint32_t style_index_of(std::uint64_t first) {
  return first & (kStyles - 1);
}
inline constexpr Style style_of(std::uint64_t first, std::uint64_t second) {
  return {.instructions = static_cast<std::uint32_t>(second),
          .depends_on = static_cast<std::uint32_t>(second >> 32),
          .divisions = static_cast<std::uint16_t>(first >> 24 & kMaxSlow),
          .chain = static_cast<std::uint16_t>(first >> 36 & kMaxSlow),
          .steps = static_cast<std::uint16_t>(first >> 16 & kMaxSteps),
          .atomic = (first >> 7 & 1U) != 0,
          .stepped = (first >> 8 & 1U) != 0};
}
/// Returns the style index in an access's or a range's first word; 0: none.
inline constexpr std::uint32_t style_index_of_access(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 9) & (kStyles - 1);
}
inline constexpr std::uint64_t with_style(std::uint64_t word, std::uint32_t index) {
  return word | std::uint64_t{index} << 9;
}

inline constexpr std::uint64_t stream_word(WordKind kind, std::uint64_t address,
                                           std::uint32_t bytes, bool is_write) {
  return static_cast<std::uint64_t>(kind) | (is_write ? 4U : 0U) |
         (static_cast<std::uint64_t>(bytes - 1) << 3) | (address << 16);
}
inline constexpr std::uint64_t record_word(RecordKind kind, std::uint64_t following) {
  return static_cast<std::uint64_t>(WordKind::other) | (static_cast<std::uint64_t>(kind) << 2) |
         (following << 16);
}
inline constexpr WordKind kind_of(std::uint64_t word) {
  return static_cast<WordKind>(word & 3U);
}
inline constexpr RecordKind record_kind_of(std::uint64_t word) {
  return static_cast<RecordKind>((word >> 2) & 0x3fffU);
}
/// Returns the number of words of the record that follow.
inline constexpr std::uint64_t following_of(std::uint64_t word) {
  if (kind_of(word) == WordKind::access) return 0;
  return kind_of(word) == WordKind::range ? 3 : (word >> 16) & 0xffff'ffffU;
}
inline constexpr bool is_write_of(std::uint64_t word) {
  return (word & 4U) != 0;
}
inline constexpr std::uint32_t bytes_of(std::uint64_t word) {
  return static_cast<std::uint32_t>((word >> 3) & 63U) + 1;
}
inline constexpr std::uint64_t address_of(std::uint64_t word) {
  return word >> 16;
}

}  // namespace Atoll::record
