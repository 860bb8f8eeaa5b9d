// Parses decimal numbers, eight digits at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace Atoll::graph {

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");

/// Eight digits of one byte each, the first in the lowest byte: neighbours are joined to numbers
/// of two, four, then eight digits.
[[nodiscard]] inline std::uint64_t join_digits(std::uint64_t digits) {
  digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
  return (digits * 10000 + (digits >> 32)) & 0xffffffff;
}

/// Parses the number that begins at `at`, and moves `at` behind it. Returns false if there is none,
/// or one of more than 18 digits. Eight bytes from the first byte that is no digit must be
/// readable.
[[nodiscard]] inline bool parse_number(const char*& at, std::uint64_t& number) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  word ^= 0x3030303030303030;  // digits are 0 … 9 now, all others are greater
  // A byte's highest bit says that it is no digit. This is right up to the first such byte; its
  // carry spoils the next.
  const std::uint64_t other = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
  if (other != 0) [[likely]] {
    const int count = std::countr_zero(other) / 8;
    if (count == 0) return false;
    number = join_digits(
        word << (64 - 8 * count));  // puts zeros before the digits, and drops what follows
    at += count;
    return true;
  }
  number = join_digits(word);
  at += 8;
  for (int count = 8; count < 19; ++count, ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit > 9) return true;
    number = number * 10 + digit;
  }
  return false;
}

}  // namespace Atoll::graph
