// Copies by one thread, with stores that use the caches or bypass them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace Atoll::memory {

/// Streaming (non-temporal) stores don't load the target's lines before writing them, and evict no
/// lines. They are faster for data that exceeds the caches, and slower for data that is read again
/// soon.
enum class Stores { cached, streaming };

/// The ranges must not overlap. After streaming stores, call order_streaming_stores() before any
/// store that publishes the data to other threads.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, Stores stores) noexcept;
/// Orders all previous streaming stores before later stores, as seen by other threads.
void order_streaming_stores() noexcept;

/// A copy loop with streaming stores. `to` is aligned to 64 bytes; `bytes` is a multiple of 64.
struct StreamKernel {
  std::string_view name;
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
};
/// Returns the kernels that this processor supports, fastest first; copy_bytes() uses the first.
/// Empty on architectures without such a kernel, where plain stores are used.
[[nodiscard]] const std::vector<StreamKernel>& stream_kernels();

}  // namespace Atoll::memory
