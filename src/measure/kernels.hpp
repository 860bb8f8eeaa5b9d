// The loops that are timed: real loads and stores, which no compiler drops, merges or turns into a
// call of memcpy (which would store past the caches).
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::measure {

enum class Kernel { read, write, copy };
inline constexpr Kernel kKernels[] = {Kernel::read, Kernel::write, Kernel::copy};

inline constexpr std::size_t kStep = 256;  ///< pointers and bytes of streams are multiples of this

/// Streams with vectors of one width.
struct Streams {
  std::uint64_t (*read)(const std::byte* from, std::size_t bytes);  ///< returns the sum
  void (*write)(std::byte* to, std::size_t bytes, std::uint64_t value);
  void (*copy)(const std::byte* from, std::byte* to, std::size_t bytes);
};
/// The streams with the widest vectors that this processor has. The narrower ones of x86-64's
/// baseline read a third less on some.
[[nodiscard]] const Streams& widest_streams();
/// The streams that every processor of this architecture can run.
[[nodiscard]] const Streams& baseline_streams();

/// Follows `loads` pointers, each load waiting for the one before; returns where it ends.
[[nodiscard]] const void* chase(const void* at, std::uint64_t loads);

}  // namespace Atoll::measure
