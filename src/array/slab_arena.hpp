// Small blocks of memory carved from large chunks, as size-class allocators do it: a chunk is 32
// slabs, a slab holds blocks of one size. std::pmr's pools would be less code, but give nothing
// back before the end, map up to half more than is used, and look through all chunks for a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "atoll/memory/block.hpp"

namespace Atoll {

/// What was asked of an allocator so far.
struct Usage {
  std::uint64_t bytes_in_use = 0;
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;

  void add(std::size_t bytes) noexcept {
    bytes_in_use += bytes;
    ++allocations;
  }
  void remove(std::size_t bytes) noexcept {
    bytes_in_use -= bytes;
    ++frees;
  }
  void remove_all() noexcept {
    bytes_in_use = 0;
    frees = allocations;
  }
};

/// All functions may be called from any thread. One lock: whoever has an arena to itself never
/// waits. What is mapped at the end goes then.
class SlabArena {
 public:
  /// Of so many bytes, and aligned to as many. May throw, with nothing changed then.
  using MapChunk = std::function<memory::Block()>;
  /// Called with a chunk that is empty, when another one is too.
  using UnmapChunk = std::function<void(memory::Block)>;

  /// `chunk_bytes` is a power of two, from 2 MiB on.
  SlabArena(std::size_t chunk_bytes, MapChunk map, UnmapChunk unmap);

  /// Whether the arenas of such chunks serve this; the alignment is a power of two.
  [[nodiscard]] static constexpr bool serves(std::size_t bytes, std::size_t alignment,
                                             std::size_t chunk_bytes) noexcept {
    return bytes <= chunk_bytes / 2 && alignment <= chunk_bytes / kSlabs;
  }
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment);
  /// To the arena that the block came from, with what it was asked for with.
  static void deallocate(void* block, std::size_t bytes, std::size_t alignment,
                         std::size_t chunk_bytes) noexcept;
  /// Unmaps everything, blocks in use as well.
  void release() noexcept;

  [[nodiscard]] Usage usage() const {
    const std::scoped_lock lock(mutex_);
    return usage_;
  }
  template <class Each>
  void for_each_chunk(Each&& each) const {
    const std::scoped_lock lock(mutex_);
    for (const memory::Block& block : blocks_) each(block);
  }

 private:
  static constexpr std::size_t kSlabs = 32;
  static constexpr std::size_t kHeaderBytes = 4096;  ///< of a chunk: not in any block
  static constexpr std::uint32_t kAllFree = ~std::uint32_t{0};

  struct FreeBlock {
    FreeBlock* next = nullptr;
  };
  /// A slab that has a size class; linked in the list of those that have room.
  struct Slab {
    Slab* next = nullptr;
    Slab* previous = nullptr;
    FreeBlock* free = nullptr;
    std::byte* untouched = nullptr;  ///< blocks from here on were never given out
    std::byte* end = nullptr;        ///< no block of the slab reaches further
    std::uint32_t used = 0;
    std::uint32_t size_class = 0;
  };
  /// At the start of a chunk's memory.
  struct Chunk {
    SlabArena* arena = nullptr;
    Chunk* next = nullptr;  ///< in the list of those that have free slabs
    Chunk* previous = nullptr;
    std::uint32_t free_slabs = kAllFree;  ///< a bit for each
    std::array<Slab, kSlabs> slabs{};
  };
  static_assert(sizeof(Chunk) <= kHeaderBytes);

  [[nodiscard]] bool is_full(const Slab& slab) const;
  [[nodiscard]] void* allocate_in_slab(std::uint32_t size_class);
  [[nodiscard]] void* allocate_slabs(std::size_t bytes);
  [[nodiscard]] Slab& slab_with_room(std::uint32_t size_class);
  [[nodiscard]] Chunk& map_chunk();
  void take_slabs(Chunk& chunk, std::uint32_t slabs);
  void give_back(Chunk& chunk, std::uint32_t slabs) noexcept;
  void put_block(Chunk& chunk, std::size_t index, void* block) noexcept;
  template <class Node>
  static void link(Node*& first, Node& node) noexcept;
  template <class Node>
  static void unlink(Node*& first, Node& node) noexcept;

  std::size_t chunk_bytes_;
  std::size_t slab_bytes_;
  MapChunk map_;
  UnmapChunk unmap_;

  mutable std::mutex mutex_;           ///< of all below, and of the chunks' headers
  std::vector<Slab*> with_room_;       ///< by size class: a list
  Chunk* open_ = nullptr;              ///< those with free slabs: a list
  std::size_t empty_chunks_ = 0;       ///< 0 or 1: kept, lest the next block map it anew
  std::vector<memory::Block> blocks_;  ///< the chunks' memory
  Usage usage_;
};

}  // namespace Atoll
