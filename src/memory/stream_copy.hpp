// Copies of bytes by one thread, with stores that go through the caches or past them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace Atoll::memory {

/// Streaming (non-temporal) stores don't read the target's lines before writing them, and evict
/// nothing: faster for what doesn't fit into the caches, slower for what is read again at once.
enum class Stores { cached, streaming };

/// The ranges don't overlap. After streaming stores, order_streaming_stores() comes before anything
/// that tells other threads of them.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, Stores stores) noexcept;
/// Streaming stores before it are seen by other threads no later than stores after it.
void order_streaming_stores() noexcept;

/// A way to copy with streaming stores: `to` is aligned to 64 bytes, `bytes` is a multiple of 64.
struct StreamKernel {
  std::string_view name;
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
};
/// Those that this processor can run, the fastest first; copy_bytes() takes the first. Empty on
/// architectures without one: plain stores are taken there.
[[nodiscard]] const std::vector<StreamKernel>& stream_kernels();

}  // namespace Atoll::memory
