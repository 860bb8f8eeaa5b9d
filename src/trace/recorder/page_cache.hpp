// Pages of a file that the page cache has before a program maps them: another access brought them
// to their node.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/recorder.hpp"

namespace Atoll::trace::recorder {

/// Parts of a file that are in the page cache, in bytes from the begin of a mapping. If there are
/// more of them than fit, the last one reaches from where it begins to the last that was found.
struct CachedParts {
  static constexpr std::size_t kMost = 64;
  struct Part {
    std::uint64_t begin, end;
  } parts[kMost];
  std::size_t count;

  /// Adds a part that begins at or behind the end of the last one.
  void add(std::uint64_t begin, std::uint64_t end);
};

/// Finds the parts of [offset, offset + bytes) of a file. The file's last page counts as a whole.
/// Where the kernel doesn't tell this process, all pages count as cached. `offset`: a multiple of
/// 4096.
void find_cached(int file, std::uint64_t offset, std::uint64_t bytes, CachedParts& parts);

/// Tells that the page cache had [begin, end) of a mapping at `address`, by the thread with that
/// tid; 0: it is unknown by which.
void tell_cached(ThreadState* thread, std::uint64_t address, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t tid);

}  // namespace Atoll::trace::recorder
