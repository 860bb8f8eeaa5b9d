// Random numbers that depend only on a seed and on the requesting loop element, not on threads. An
// iteration of a parallel loop draws from its own generator, which fork() returns. The numbers are
// a mixed counter (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
#pragma once

#include <cstdint>

#include "atoll/base/hash.hpp"

namespace Atoll::graph {

/// A stream of random numbers. Equal seeds and forks give equal numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : key_(mix_bits(seed + kGoldenRatio)) {}

  [[nodiscard]] std::uint64_t next() { return mix_bits(key_ + kGoldenRatio * ++drawn_); }
  /// Returns a uniform number in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Returns a uniform integer in [0, limit); `limit` must be positive.
  [[nodiscard]] std::int64_t below(std::int64_t limit) {
    const auto range = static_cast<std::uint64_t>(limit);
    // Rejects numbers in the last, incomplete range.
    const std::uint64_t incomplete = (UINT64_MAX % range + 1) % range;
    std::uint64_t drawn = next();
    while (drawn > UINT64_MAX - incomplete) drawn = next();
    return static_cast<std::int64_t>(drawn % range);
  }

  /// Returns the generator of an element's iteration. It depends on this generator's seed and on
  /// the count of numbers drawn from it. This generator doesn't change.
  [[nodiscard]] Random fork(std::uint64_t element) const {
    return Random(mix_bits(key_ + kGoldenRatio * drawn_) ^
                  mix_bits(element + 0xD1B54A32D192ED03ULL));
  }
  /// Advances the counter, so that the next loop's iterations draw other numbers.
  void advance() { ++drawn_; }

 private:
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace Atoll::graph
