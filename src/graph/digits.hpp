// Parses decimal numbers, eight digits at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace Atoll::graph {

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");

/// Converts eight digits of one byte each, the first in the lowest byte. Adjacent digits are
/// combined into numbers of two, then four, then eight digits.
[[nodiscard]] inline std::uint64_t join_digits(std::uint64_t digits) {
  digits = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  digits = (digits * 100 + (digits >> 16)) & 0x0000ffff0000ffff;
  return (digits * 10000 + (digits >> 32)) & 0xffffffff;
}

/// Parses the number that begins at `at`, and moves `at` past it. Returns false if there is no
/// number, or if it has more than 18 digits. At least eight bytes from the first non-digit on must
/// be readable.
[[nodiscard]] inline bool parse_number(const char*& at, std::uint64_t& number) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  word ^= 0x3030303030303030;  // digits become 0 … 9, other bytes a greater value
  // The highest bit of each byte is set if the byte isn't a digit. Only bytes up to the first such
  // byte are reliable: its carry changes the next byte.
  const std::uint64_t other = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
  if (other != 0) [[likely]] {
    const int count = std::countr_zero(other) / 8;
    if (count == 0) return false;
    number = join_digits(
        word << (64 - 8 * count));  // prepends zeros and drops the bytes after the digits
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
