// Words of recorded tasks in a ring: one word for the task, then one for each line that it uses. A
// task with many lines has several parts, each of which begins with the task's word.
#pragma once

#include <cstdint>

#include "record/region.hpp"

namespace Atoll::record {

inline constexpr std::uint64_t kLoopMask = 0xffff;
static_assert(kLoops <= kLoopMask + 1);
inline constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << 47) - 1;
/// Word of a task. Bit 0: 1. Then its loop (16 bits) and its number (47 bits; at most kMaxNumber).
inline constexpr std::uint64_t task_word(std::uint32_t loop, std::uint64_t number) {
  return 1U | (std::uint64_t{loop} << 1) | (number < kMaxNumber ? number : kMaxNumber) << 17;
}
/// Word of a line. Bit 0: 0. Then masks of its words that are read and written (8 bits each), and
/// its address / 64 (46 bits).
inline constexpr std::uint64_t use_word(std::uint64_t line, Line used) {
  return (used % kOneAtomicWord) << 1 | (line << 17);
}
/// Word of atomic updates in a line. Bit 63: 1. It has the words updated by atomic operations in
/// place of those written. It follows the line's use_word().
inline constexpr std::uint64_t kAtomicUse = std::uint64_t{1} << 63;
inline constexpr std::uint64_t atomic_use_word(std::uint64_t line, Line used) {
  return kAtomicUse | (used % kOneStamp / kOneAtomicWord) << 9 | (line << 17);
}

inline constexpr bool is_task(std::uint64_t word) {
  return (word & 1U) != 0;
}
inline constexpr std::uint32_t loop_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 1 & kLoopMask);
}
inline constexpr std::uint64_t number_of(std::uint64_t word) {
  return word >> 17;
}
inline constexpr std::uint8_t read_words_of(std::uint64_t word) {
  return static_cast<std::uint8_t>(word >> 1);
}
inline constexpr std::uint8_t written_words_of(std::uint64_t word) {
  return static_cast<std::uint8_t>(word >> 9);
}
inline constexpr std::uint64_t line_of(std::uint64_t word) {
  return (word & ~kAtomicUse) >> 17;
}
inline constexpr bool is_atomic_use(std::uint64_t word) {
  return (word & kAtomicUse) != 0;
}

}  // namespace Atoll::record
