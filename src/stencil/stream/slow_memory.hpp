// Slow memory: the home of fields that fast memory can't hold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "atoll/memory/block.hpp"
#include "stencil/stream/home.hpp"

namespace Atoll::stencil {

class SlowMemory {
 public:
  virtual ~SlowMemory() = default;
  /// Returns room for `bytes` zeros, at a multiple of 4096. It lasts as long as this object. Throws
  /// Error if there is not enough.
  [[nodiscard]] virtual Home allocate(std::uint64_t bytes) = 0;
  /// Transfers between slow memory and any address.
  [[nodiscard]] virtual memory::CopyEngine& engine() = 0;
  /// Returns the address of a part of the room at `home`. Valid until unmap(). No transfer of the
  /// part may be in progress until then, except those from slow memory if it is only viewed.
  [[nodiscard]] virtual std::byte* map(const Home& home, std::uint64_t offset, std::uint64_t bytes,
                                       bool edits) = 0;
  /// Releases the memory of the first `bytes` bytes of what map() returned. They can still be
  /// accessed.
  virtual void release(std::byte* mapped, std::uint64_t bytes) = 0;
  /// Ends all uses of addresses. Throws Error if edits can't be stored.
  virtual void unmap() = 0;
};

/// A file in a folder. Its room is allocated on the disk at once.
[[nodiscard]] std::unique_ptr<SlowMemory> file_memory(std::string folder);
/// The memory of some nodes.
[[nodiscard]] std::unique_ptr<SlowMemory> node_memory(const memory::Context& context,
                                                      std::span<const NodeId> nodes);

}  // namespace Atoll::stencil
