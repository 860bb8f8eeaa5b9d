// The records of a stream, as they lie in a ring and in a stream file: one word for an access, four
// for a range. Writers are the recorder's; readers are `atoll` and its tools.
#pragma once

#include <cstdint>

namespace Atoll::trace::recorder {

/// word 0: kind (2 bits), write (1), bytes - 1 (6), 0 (7), address (48). What is longer than 64
/// bytes or beyond 48 bits of address is split by the writer, or is a range.
enum class WordKind : std::uint64_t {
  access,  ///< this word alone
  range,   ///< then step (signed), n, loop (a number, its parts are consecutive; 0: alone)
};

inline constexpr std::uint64_t stream_word(WordKind kind, std::uint64_t address,
                                           std::uint32_t bytes, bool is_write) {
  return static_cast<std::uint64_t>(kind) | (is_write ? 4U : 0U) |
         (static_cast<std::uint64_t>(bytes - 1) << 3) | (address << 16);
}
inline constexpr WordKind kind_of(std::uint64_t word) {
  return static_cast<WordKind>(word & 3U);
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
