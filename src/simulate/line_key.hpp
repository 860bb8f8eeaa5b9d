// Key of a line: address, process, and copy number of a replicated object, in one integer that
// caches compare.
#pragma once

#include <cstdint>

namespace Atoll::simulate {

/// From bit 0: line number (42 bits), process (10), copy (8 bits; 0: the only copy).
using LineKey = std::uint64_t;

inline constexpr int kAddressBits = 48, kProcessShift = 42, kCopyShift = 52;
/// The last two process numbers stand for the shared zero pages and for page tables.
inline constexpr std::uint64_t kMaxProcesses = 1022, kZeroPages = 1022, kTables = 1023;

[[nodiscard]] constexpr LineKey line_key(std::uint64_t process, std::uint64_t address,
                                         int line_bits, std::uint64_t copy = 0) {
  return (address & ((std::uint64_t{1} << kAddressBits) - 1)) >> line_bits |
         process << kProcessShift | copy << kCopyShift;
}
[[nodiscard]] constexpr std::uint64_t process_of(LineKey line) {
  return line >> kProcessShift & 1023;
}
[[nodiscard]] constexpr std::uint64_t copy_of(LineKey line) {
  return line >> kCopyShift;
}
[[nodiscard]] constexpr std::uint64_t address_of(LineKey line, int line_bits) {
  return (line & ((std::uint64_t{1} << kProcessShift) - 1)) << line_bits;
}

}  // namespace Atoll::simulate
