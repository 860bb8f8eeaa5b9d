// The records of a stream, as they lie in a ring and in a stream file (docs/trace-file.md). Each
// begins with a word that says its kind and how many words follow. Writers are the recorder's;
// readers are `atoll` and its tools.
#pragma once

#include <cstdint>

namespace Atoll::trace::recorder {

/// The lowest two bits of a record's first word.
/// An access or a range: kind (2 bits), write (1), bytes - 1 (6), 0 (7), address (48). What is
/// longer than 64 bytes or beyond 48 bits of address is split by the writer, or is a range.
/// Another: kind (2 bits), RecordKind (14), words that follow (32), 0 (16).
enum class WordKind : std::uint64_t {
  access,  ///< this word alone
  range,   ///< then step (signed), n, loop (a number, its parts are consecutive; 0: alone)
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
  // From 64 to 79: work between accesses, dependence.
  // Of timed streams. These are no events: the first word is how many events their thread has seen.
  released = 80,         ///< then the release's number, its key
  waited,                ///< then the number of the release that ended the wait
  barrier,               ///< then its key, the generation, how many threads take part
  posted,                ///< then the semaphore's key, the number of the post
  took,                  ///< then the semaphore's key, the number of the post that let it go on
  asleep,                ///< the thread may wait from here on until its next record; then two keys
  expects,               ///< then a release's number, how many other threads go on behind it
  policy_of_range = 96,  ///< then address, bytes, the mode of mbind(), words of nodes
  policy_of_thread,      ///< then the mode of set_mempolicy(), words of nodes
  pages_moved,           ///< then address, bytes, the node
  huge_pages,            ///< then address, bytes, 1: wanted, 0: not wanted
  bound,                 ///< then the thread's tid, words of processing units
  // Tasks are no events: the first word is how many events their thread has seen.
  task_begun = 128,  ///< then the loop's position in the recording, the task's number
  task_ended,
};

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
