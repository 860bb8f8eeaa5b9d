// Hashes of 64-bit numbers. Header-only, because code in other processes uses them.
#pragma once

#include <cstdint>

namespace Atoll {

/// 2^64 divided by the golden ratio, odd: multiples of it are spread evenly.
inline constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

/// Hashes a number by one multiplication (Fibonacci hashing). The high bits depend on all bits of
/// the number, the low bits on its low bits alone.
constexpr std::uint64_t golden_hash(std::uint64_t number) {
  return number * kGoldenRatio;
}
/// Hashes a pair of numbers by two multiplications. As in golden_hash, the high bits are the good
/// ones.
constexpr std::uint64_t golden_hash(std::uint64_t first, std::uint64_t second) {
  return (first * kGoldenRatio ^ second) * 0xd6e8feb86659fd93;
}
/// Adds a word to the hash of a sequence of words.
constexpr std::uint64_t hash_more(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kGoldenRatio;
  return hash ^ hash >> 29;
}
/// Mixes all bits of a number, so that each bit of the result depends on each of them. A bijection:
/// the finaliser of SplitMix64.
constexpr std::uint64_t mix_bits(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

}  // namespace Atoll
