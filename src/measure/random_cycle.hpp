// A cycle through all lines of a buffer in pseudorandom order. It needs no table, as the successor
// of each line can be computed. So threads write the chain front to back, each its part; a shuffle
// would need a random access per line and couldn't be shared between threads.
#pragma once

#include <bit>
#include <cstdint>

namespace Atoll::measure {

class RandomCycle {
 public:
  /// Cycle of the lines 0 … lines-1; `lines` is at least 1.
  explicit constexpr RandomCycle(std::uint64_t lines)
      : lines_(lines),
        bits_(static_cast<unsigned>(std::bit_width(lines - 1))),
        mask_((std::uint64_t{1} << bits_) - 1) {}

  /// Returns the successor of `line`. From any line, all other lines follow once, then `line`
  /// again.
  [[nodiscard]] constexpr std::uint64_t next(std::uint64_t line) const {
    // Steps through a cycle over a power of two and skips numbers beyond the lines. mixed() is a
    // bijection from positions in the cycle to numbers, so +1 in position is a jump to a
    // pseudorandom number.
    do line = mixed((unmixed(line) + 1) & mask_);
    while (line >= lines_);
    return line;
  }

 private:
  static constexpr std::uint64_t kOdd[] = {0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93,
                                           0xC2B2AE3D27D4EB4F};
  /// Returns x with x · odd = 1 mod 2^64, by Newton's method: each step doubles the correct bits.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;  // the lowest 3 bits are correct
    for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
    return x;
  }
  /// Its own inverse, as the shift is at least half of the bits.
  [[nodiscard]] constexpr std::uint64_t fold(std::uint64_t x) const {
    return x ^ x >> (bits_ + 1) / 2;
  }
  [[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) const {
    for (const std::uint64_t odd : kOdd) x = fold(x) * odd & mask_;
    return fold(x);
  }
  [[nodiscard]] constexpr std::uint64_t unmixed(std::uint64_t x) const {
    constexpr std::uint64_t back[] = {inverse(kOdd[2]), inverse(kOdd[1]), inverse(kOdd[0])};
    for (const std::uint64_t odd : back) x = fold(x) * odd & mask_;
    return fold(x);
  }

  std::uint64_t lines_;
  unsigned bits_;
  std::uint64_t mask_;
};

}  // namespace Atoll::measure
