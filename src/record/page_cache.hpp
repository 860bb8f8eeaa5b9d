// Pages of a file that are in the page cache before a program maps them: an earlier access
// determined their node.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/recorder.hpp"

namespace Atoll::record {

/// Parts of a file that are in the page cache, in bytes from the begin of a mapping. If there are
/// more than fit, the last one extends to the end of the last part found.
struct CachedParts {
  static constexpr std::size_t kMax = 64;
  struct Part {
    std::uint64_t begin, end;
  } parts[kMax];
  std::size_t count;

  /// Adds a part. It must begin at or after the end of the previous one.
  void add(std::uint64_t begin, std::uint64_t end);
};

/// Finds the cached parts of [offset, offset + bytes) of a file. The file's last page counts as a
/// whole. If the kernel does not show residency to this process, all pages count as cached.
/// `offset` must be a multiple of 4096.
void find_cached(int file, std::uint64_t offset, std::uint64_t bytes, CachedParts& parts);

/// Records that [begin, end) of a mapping at `address` was in the page cache, allocated by the
/// thread `tid` (0: unknown).
void record_cached_pages(ThreadState* thread, std::uint64_t address, std::uint64_t begin,
                         std::uint64_t end, std::uint64_t tid);

}  // namespace Atoll::record
