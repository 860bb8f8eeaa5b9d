// The records of a stream, as they lie in a ring and in a stream file (docs/trace-file.md). Each
// begins with a word that says its kind and how many words follow. Writers are the recorder's;
// readers are `atoll` and its tools.
#pragma once

#include <cstdint>

namespace Atoll::trace::recorder {

/// The lowest two bits of a record's first word.
/// An access or a range: kind (2 bits), write (1), bytes - 1 (6), style (7), address (48). What is
/// longer than 64 bytes or beyond 48 bits of address is split by the writer, or is a range. The
/// style is 0 unless the stream is timed.
/// Another: kind (2 bits), RecordKind (14), words that follow (32), 0 (16).
enum class WordKind : std::uint64_t {
  access,  ///< this word alone
  range,   ///< then step (signed), n, loop (a number, its parts are consecutive; 0: alone); of a
           ///< timed stream the loop's highest 16 bits are what the first access depends on
  other,   ///< a RecordKind
};

/// Readers skip the kinds that they don't know, and words behind those that they know. The first
/// word that follows is a number of events (Header::sequence): of an event its own, which is how
/// many there were before it; of a clock, how many its thread has seen.
enum class RecordKind : std::uint64_t {
  clock = 1,  ///< what follows came after so many events of the run
  thread_created,
  thread_begun,
  thread_ended,
  thread_joined,
  allocated,  ///< then address, bytes; so do the next three
  freed,
  mapped,
  unmapped,
  mark_begin,
  mark_end,
  mark_iteration,
  // Of timed streams; they say nothing of events.
  style = 64,  ///< two words of a Style, which accesses and ranges with its index have from now on
  work,        ///< instructions, then a word as TimedCounts::slow, then steps; no access has these
  // Of timed streams. These are no events: the first word is how many events their thread has seen.
  released = 80,  ///< then the release's number, its key, how many take turns; 0: all
  waited,         ///< then the number of the release that ended the wait
  barrier,        ///< then its key, the generation, how many threads take part
  posted,         ///< then the semaphore's key, the number of the post
  took,           ///< then the semaphore's key, the number of the post that let it go on
  asleep,         ///< the thread may wait from here on until its next record; then two keys
  expects,        ///< then a release's number, how many other threads go on behind it
  turn,           ///< then a key, or 0: the thread goes on when that was released and it is its
                  ///< turn; only where somebody gives it
  policy_of_range = 96,  ///< then address, bytes, the mode of mbind() + its flags << 32, nodes
  policy_of_thread,      ///< then the mode of set_mempolicy(), words of nodes
  pages_moved,           ///< then address, bytes, the node
  huge_pages,            ///< then address, bytes, 1: wanted, 0: not wanted
  bound,                 ///< then the thread's tid, words of processing units
  pages_populated,       ///< then address, bytes, 1: as by writes, 0: as by reads
  pages_discarded,       ///< then address, bytes, 0
  pages_remapped,        ///< then address, bytes, the new address
  pages_asked,           ///< then address, bytes, the question (simulate/inside/view.hpp)
  pages_cached,          ///< then address, bytes, the tid of the thread that allocated them, or 0
  // Tasks are no events: the first word is how many events their thread has seen.
  task_begun = 128,  ///< then the loop's position in the recording, the task's number
  task_ended,
};

/// What a timed stream tells of an access; of a range: of each iteration's.
struct Style {
  std::uint32_t instructions = 0;  ///< before it, since the thread's access before
  std::uint32_t depends_on = 0;    ///< its address is from the n-th load before it; 0: from none
  std::uint16_t divisions = 0;     ///< of the instructions; up to kMostSlow, as is the next
  std::uint16_t chain = 0;         ///< of them: steps of a chain of floating-point operations
  std::uint16_t steps = 0;         ///< before it, so many iterations of the stepped loop; up to 255
  bool atomic = false;
  bool stepped = false;  ///< a range: its iterations come with the accesses that have steps
  friend bool operator==(const Style&, const Style&) = default;
};
/// Readers use the last number for themselves.
inline constexpr std::uint32_t kStyles = 128, kToldStyles = kStyles - 1;
inline constexpr unsigned kDependenceOfRange = 48;  ///< where it is in the loop's word
inline constexpr std::uint32_t kMostSlow = 4095, kMostSteps = 255;
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
          .divisions = static_cast<std::uint16_t>(first >> 24 & kMostSlow),
          .chain = static_cast<std::uint16_t>(first >> 36 & kMostSlow),
          .steps = static_cast<std::uint16_t>(first >> 16 & kMostSteps),
          .atomic = (first >> 7 & 1U) != 0,
          .stepped = (first >> 8 & 1U) != 0};
}
/// The style of an access's or a range's first word; 0: none.
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
/// How many words of the record follow.
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

}  // namespace Atoll::trace::recorder
