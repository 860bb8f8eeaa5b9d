// Copies bytes by one thread, with stores that go through the caches or past them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace Atoll::memory {

/// Streaming (non-temporal) stores don't read the target's lines before writing them, and evict
/// nothing. They are faster for data that doesn't fit into the caches, slower for data that is read
/// again at once.
enum class Stores { cached, streaming };

/// The ranges don't overlap. After streaming stores, order_streaming_stores() comes before anything
/// that tells other threads of them.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, Stores stores) noexcept;
/// Makes other threads see the streaming stores before it no later than the stores after it.
void order_streaming_stores() noexcept;

/// A way to copy with streaming stores: `to` is aligned to 64 bytes, `bytes` is a multiple of 64.
struct StreamKernel {
  std::string_view name;
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
};
/// The kernels that this processor can run, the fastest first; copy_bytes() takes the first. The
/// list is empty on architectures without one: plain stores are used there.
[[nodiscard]] const std::vector<StreamKernel>& stream_kernels();

}  // namespace Atoll::memory
