// The timed loops: real loads and stores that no compiler drops, merges or replaces by memcpy
// (which could bypass the caches).
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::measure {

enum class Kernel { read, write, copy };
inline constexpr Kernel kKernels[] = {Kernel::read, Kernel::write, Kernel::copy};

inline constexpr std::size_t kStep = 256;  ///< pointers and sizes of streams are multiples of this

/// Loops with vectors of one width.
struct Streams {
  std::uint64_t (*read)(const std::byte* from, std::size_t bytes);  ///< returns the sum
  void (*write)(std::byte* to, std::size_t bytes, std::uint64_t value);
  void (*copy)(const std::byte* from, std::byte* to, std::size_t bytes);
};
/// Returns the loops with the widest vectors of this processor. Those of the x86-64 baseline read a
/// third less on some processors.
[[nodiscard]] const Streams& widest_streams();
/// Returns the loops that run on every processor of this architecture.
[[nodiscard]] const Streams& baseline_streams();

/// Follows a chain of `loads` dependent pointers. Returns the last one.
[[nodiscard]] const void* chase(const void* at, std::uint64_t loads);

}  // namespace Atoll::measure
