// Tells a loop's structure (a mesh, a matrix) from others of the same size, so that a schedule for
// one isn't followed for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace Atoll {

/// A number for these bytes after what `before` stands for; never 0, which means none.
[[nodiscard]] std::uint64_t fingerprint_of_bytes(std::span<const std::byte> bytes,
                                                 std::uint64_t before = 0) noexcept;

/// The same of an array's elements: fingerprint(right, fingerprint(left)) is for two.
template <class T>
[[nodiscard]] std::uint64_t fingerprint(std::span<const T> elements,
                                        std::uint64_t before = 0) noexcept {
  return fingerprint_of_bytes(std::as_bytes(elements), before);
}

}  // namespace Atoll
