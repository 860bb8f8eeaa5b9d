// Allocator of small blocks with size classes: a chunk has 32 slabs, and a slab holds blocks of one
// size. std::pmr's pools would be less code, but they return no memory before the end, and each
// request to the upstream resource is larger than the last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "atoll/memory/block.hpp"

namespace Atoll {

/// Requests to an allocator so far.
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

/// All functions may be called from any thread. The arena has one lock, so a thread that is its
/// only user never waits.
class SlabArena {
 public:
  /// Maps a chunk of `chunk_bytes`, aligned to its size. If it throws, the arena is unchanged.
  using MapChunk = std::function<memory::Block()>;
  /// Called with an empty chunk if another one is empty, too.
  using UnmapChunk = std::function<void(memory::Block)>;

  /// `chunk_bytes` is a power of two, at least 2 MiB.
  SlabArena(std::size_t chunk_bytes, MapChunk map, UnmapChunk unmap);

  /// True if arenas with such chunks serve this request. The alignment is a power of two.
  [[nodiscard]] static constexpr bool serves(std::size_t bytes, std::size_t alignment,
                                             std::size_t chunk_bytes) noexcept {
    return bytes <= chunk_bytes / 4 && alignment <= chunk_bytes / kSlabs;
  }
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment);
  /// Returns the block to the arena that allocated it. `bytes` and `alignment` are those of its
  /// request.
  static void deallocate(void* block, std::size_t bytes, std::size_t alignment,
                         std::size_t chunk_bytes) noexcept;
  /// Unmaps all chunks, even with blocks in use.
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
  static constexpr std::size_t kHeaderBytes = 4096;  ///< at the start of a chunk
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};

  struct FreeBlock {
    FreeBlock* next = nullptr;
  };
  /// A slab with a size class. Slabs with free blocks of the same class are linked in a list.
  struct Slab {
    Slab* next = nullptr;
    Slab* previous = nullptr;
    FreeBlock* free = nullptr;
    std::byte* untouched = nullptr;  ///< blocks from here on were never allocated
    std::byte* end = nullptr;        ///< end of the slab
    std::uint32_t block_bytes = 0;
    std::uint32_t size_class = 0;
    std::uint32_t used = 0;

    [[nodiscard]] bool is_full() const { return free == nullptr && untouched + block_bytes > end; }
  };
  /// Header at the start of a chunk. The masks have a bit for each slab. A slab is free for any
  /// use, kept (without blocks in use, but the only one with room for its class), or in use.
  struct Chunk {
    SlabArena* arena = nullptr;
    Chunk* next = nullptr;  ///< in the list of chunks with free slabs
    Chunk* previous = nullptr;
    std::uint32_t free_slabs = kAll;
    std::uint32_t kept_slabs = 0;
    std::array<Slab, kSlabs> slabs{};

    [[nodiscard]] bool is_empty() const { return (free_slabs | kept_slabs) == kAll; }
  };
  static_assert(sizeof(Chunk) <= kHeaderBytes);

  [[nodiscard]] Chunk& chunk_of(const void* inside) const;
  [[nodiscard]] void* allocate_in_slab(std::uint32_t size_class);
  [[nodiscard]] void* allocate_slabs(std::size_t bytes);
  [[nodiscard]] Slab& fresh_slab(std::uint32_t size_class);
  [[nodiscard]] Chunk& map_chunk();
  void begin_use(Chunk& chunk) noexcept;
  void take_free(Chunk& chunk, std::uint32_t slabs) noexcept;
  void give_free(Chunk& chunk, std::uint32_t slabs) noexcept;
  void put_block(Chunk& chunk, std::size_t index, void* block) noexcept;
  void unmap_if_empty(Chunk& chunk) noexcept;
  template <class Node>
  static void link(Node*& first, Node& node) noexcept;
  template <class Node>
  static void unlink(Node*& first, Node& node) noexcept;

  std::size_t chunk_bytes_;
  std::size_t slab_bytes_;
  MapChunk map_;
  UnmapChunk unmap_;

  mutable std::mutex mutex_;      ///< protects all members below, and the chunks' headers
  std::vector<Slab*> with_room_;  ///< by size class: list of slabs with free blocks
  Chunk* open_ = nullptr;         ///< list of chunks with free slabs
  std::size_t empty_chunks_ =
      0;  ///< 0 or 1: one is kept, so that the next block needs no new mapping
  std::vector<memory::Block> blocks_;  ///< the chunks' memory
  Usage usage_;
};

}  // namespace Atoll
