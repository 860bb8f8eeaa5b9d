// Hashes of a loop's structure (a mesh, a matrix), so that a schedule isn't followed for another
// structure of the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace Atoll {

/// Returns a hash of these bytes, continued from the hash `before`. It is never 0, which means
/// none.
[[nodiscard]] std::uint64_t fingerprint_of_bytes(std::span<const std::byte> bytes,
                                                 std::uint64_t before = 0) noexcept;

/// Returns the hash of an array's elements. For two arrays, use fingerprint(right,
/// fingerprint(left)).
template <class T>
[[nodiscard]] std::uint64_t fingerprint(std::span<const T> elements,
                                        std::uint64_t before = 0) noexcept {
  return fingerprint_of_bytes(std::as_bytes(elements), before);
}

}  // namespace Atoll
