// One cycle through all lines of a buffer in an order that looks random, without a table: the
// successor of each line can be computed. So threads write the chain from front to back, each its
// part, while a shuffle would be a random access for each line and no work for two threads.
#pragma once

#include <bit>
#include <cstdint>

namespace Atoll::measure {

class RandomCycle {
 public:
  /// A cycle of lines 0 … lines-1; there is at least one.
  explicit constexpr RandomCycle(std::uint64_t lines)
      : lines_(lines),
        bits_(static_cast<unsigned>(std::bit_width(lines - 1))),
        mask_((std::uint64_t{1} << bits_) - 1) {}

  /// The line after `line`. From any line, all others come once, then the line itself again.
  [[nodiscard]] constexpr std::uint64_t next(std::uint64_t line) const {
    // This is a cycle through a power of two, in which numbers that are no lines are passed over.
    // Places in it are mixed to numbers, a bijection: +1 there is a jump to anywhere here.
    do line = mixed((unmixed(line) + 1) & mask_);
    while (line >= lines_);
    return line;
  }

 private:
  static constexpr std::uint64_t kOdd[] = {0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93,
                                           0xC2B2AE3D27D4EB4F};
  /// x · inverse(x) = 1 mod 2^64, by Newton's method: each step doubles the bits that are right.
  static constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = odd;  // the lowest 3 bits are right
    for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
    return x;
  }
  /// The function is its own inverse, as the shift is at least half of the bits.
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
