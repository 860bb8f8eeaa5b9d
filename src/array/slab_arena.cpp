// Slab management: free blocks are linked through themselves, and free slabs are bits in their
// chunk.
#include "array/slab_arena.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace Atoll {
namespace {

// Size classes go in steps of 16 bytes up to 128, then in four steps per doubling, so at most a
// quarter is wasted. If a size is a multiple of an alignment, so is its class: either the class
// step there is a multiple, or the size itself is a class.
constexpr std::size_t kStep = 16;
constexpr std::size_t kEvenSteps = 8;

/// Returns the size from which the class and the number of slabs are computed.
constexpr std::size_t rounded(std::size_t bytes, std::size_t alignment) {
  return (std::max<std::size_t>(bytes, 1) + alignment - 1) & ~(alignment - 1);
}

constexpr std::uint32_t class_of(std::size_t bytes) {
  if (bytes <= kStep * kEvenSteps) return static_cast<std::uint32_t>((bytes - 1) / kStep);
  const auto log = static_cast<std::size_t>(std::bit_width(bytes - 1) - 1);
  const std::size_t quarter = ((bytes - 1) >> (log - 2)) & 3;
  return static_cast<std::uint32_t>(kEvenSteps + 4 * (log - 7) + quarter);
}

constexpr std::size_t bytes_of(std::uint32_t size_class) {
  if (size_class < kEvenSteps) return kStep * (size_class + 1);
  const std::size_t log = 7 + (size_class - kEvenSteps) / 4;
  return (std::size_t{5} + (size_class - kEvenSteps) % 4) << (log - 2);
}
static_assert(bytes_of(class_of(128)) == 128 && bytes_of(class_of(129)) == 160);
static_assert(bytes_of(class_of(256)) == 256 && bytes_of(class_of(257)) == 320);

/// Maximum number of chunks that are searched for adjacent free slabs before another chunk is
/// mapped.
constexpr int kMaxChunksLookedAt = 16;

/// Returns the lowest run of `count` set bits, as a mask; 0 if there is none.
constexpr std::uint32_t run_of(std::uint32_t bits, std::size_t count) {
  const auto run = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  for (std::size_t at = 0; at + count <= 32; ++at)
    if ((bits >> at & run) == run) return run << at;
  return 0;
}

}  // namespace

SlabArena::SlabArena(std::size_t chunk_bytes, MapChunk map, UnmapChunk unmap)
    : chunk_bytes_(chunk_bytes),
      slab_bytes_(chunk_bytes / kSlabs),
      map_(std::move(map)),
      unmap_(std::move(unmap)),
      with_room_(class_of(slab_bytes_ / 2) + 1) {}

SlabArena::Chunk& SlabArena::chunk_of(const void* inside) const {
  const auto address = reinterpret_cast<std::uintptr_t>(inside);
  return *reinterpret_cast<Chunk*>(address & ~(chunk_bytes_ - 1));
}

void* SlabArena::allocate(std::size_t bytes, std::size_t alignment) {
  const std::scoped_lock lock(mutex_);
  const std::size_t size = rounded(bytes, alignment);
  void* const block =
      size > slab_bytes_ / 2 ? allocate_slabs(size) : allocate_in_slab(class_of(size));
  usage_.add(bytes);
  return block;
}

void* SlabArena::allocate_in_slab(std::uint32_t size_class) {
  Slab* const first = with_room_[size_class];
  Slab& slab = first != nullptr ? *first : fresh_slab(size_class);
  if (slab.used++ == 0) {
    Chunk& chunk = chunk_of(&slab);
    begin_use(chunk);
    chunk.kept_slabs &= ~(std::uint32_t{1} << (&slab - chunk.slabs.data()));
  }
  void* block = slab.free;
  if (block != nullptr)
    slab.free = slab.free->next;
  else
    block = std::exchange(slab.untouched, slab.untouched + slab.block_bytes);
  if (slab.is_full()) unlink(with_room_[size_class], slab);
  return block;
}

/// Takes adjacent whole slabs, but never the first one of a chunk, which contains the header.
void* SlabArena::allocate_slabs(std::size_t bytes) {
  const std::size_t count = (bytes + slab_bytes_ - 1) / slab_bytes_;
  Chunk* chunk = nullptr;
  std::uint32_t slabs = 0;
  const auto look_in = [&](Chunk* one) {
    chunk = one;
    slabs = run_of(one->free_slabs & ~std::uint32_t{1}, count);
  };
  int looked_at = 0;
  for (Chunk* one = open_; one != nullptr && slabs == 0 && looked_at < kMaxChunksLookedAt;
       one = one->next, ++looked_at)
    look_in(one);
  if (slabs == 0) look_in(&map_chunk());
  begin_use(*chunk);
  take_free(*chunk, slabs);
  return reinterpret_cast<std::byte*>(chunk) +
         static_cast<std::size_t>(std::countr_zero(slabs)) * slab_bytes_;
}

/// Returns a slab without blocks, which counts as kept until one of its blocks is used.
SlabArena::Slab& SlabArena::fresh_slab(std::uint32_t size_class) {
  Chunk& chunk = open_ == nullptr ? map_chunk() : *open_;
  const auto index = static_cast<std::size_t>(std::countr_zero(chunk.free_slabs));
  take_free(chunk, std::uint32_t{1} << index);
  chunk.kept_slabs |= std::uint32_t{1} << index;
  std::byte* const begin = reinterpret_cast<std::byte*>(&chunk) + index * slab_bytes_;
  const std::size_t block = bytes_of(size_class);
  const std::size_t alignment =
      block & (~block + 1);  // the largest that its blocks can be requested with
  const std::size_t skipped = index == 0 ? std::max(kHeaderBytes, alignment) : 0;
  Slab& slab = chunk.slabs[index];
  slab = {.untouched = begin + skipped,
          .end = begin + slab_bytes_,
          .block_bytes = static_cast<std::uint32_t>(block),
          .size_class = size_class};
  link(with_room_[size_class], slab);
  return slab;
}

SlabArena::Chunk& SlabArena::map_chunk() {
  blocks_.emplace_back();
  try {
    blocks_.back() = map_();
  } catch (...) {
    blocks_.pop_back();
    throw;
  }
  Chunk* const chunk = new (blocks_.back().data()) Chunk{.arena = this};
  link(open_, *chunk);
  ++empty_chunks_;
  return *chunk;
}

void SlabArena::begin_use(Chunk& chunk) noexcept {
  if (chunk.is_empty()) --empty_chunks_;
}

void SlabArena::take_free(Chunk& chunk, std::uint32_t slabs) noexcept {
  chunk.free_slabs &= ~slabs;
  if (chunk.free_slabs == 0) unlink(open_, chunk);
}

void SlabArena::give_free(Chunk& chunk, std::uint32_t slabs) noexcept {
  if (chunk.free_slabs == 0) link(open_, chunk);
  chunk.free_slabs |= slabs;
}

void SlabArena::deallocate(void* block, std::size_t bytes, std::size_t alignment,
                           std::size_t chunk_bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  Chunk& chunk = *reinterpret_cast<Chunk*>(address & ~(chunk_bytes - 1));
  SlabArena& arena = *chunk.arena;
  const std::size_t index = (address & (chunk_bytes - 1)) / arena.slab_bytes_;
  const std::size_t size = rounded(bytes, alignment);
  const std::scoped_lock lock(arena.mutex_);
  arena.usage_.remove(bytes);
  if (size <= arena.slab_bytes_ / 2) return arena.put_block(chunk, index, block);
  const std::size_t count = (size + arena.slab_bytes_ - 1) / arena.slab_bytes_;
  arena.give_free(chunk, run_of(kAll, count) << index);
  arena.unmap_if_empty(chunk);
}

void SlabArena::put_block(Chunk& chunk, std::size_t index, void* block) noexcept {
  Slab& slab = chunk.slabs[index];
  Slab*& with_room = with_room_[slab.size_class];
  if (slab.is_full()) link(with_room, slab);
  slab.free = new (block) FreeBlock{slab.free};
  if (--slab.used > 0) return;
  if (with_room == &slab && slab.next == nullptr) {
    chunk.kept_slabs |= std::uint32_t{1} << index;
  } else {
    unlink(with_room, slab);
    give_free(chunk, std::uint32_t{1} << index);
  }
  unmap_if_empty(chunk);
}

/// Unmaps an empty chunk unless it is the only empty one.
void SlabArena::unmap_if_empty(Chunk& chunk) noexcept {
  if (!chunk.is_empty() || ++empty_chunks_ == 1) return;
  --empty_chunks_;
  for (std::size_t index = 0; index < kSlabs; ++index)
    if ((chunk.kept_slabs >> index & 1) != 0)
      unlink(with_room_[chunk.slabs[index].size_class], chunk.slabs[index]);
  if (chunk.free_slabs != 0) unlink(open_, chunk);
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const memory::Block& block) {
    return block.data() == reinterpret_cast<std::byte*>(&chunk);
  });
  std::swap(*found, blocks_.back());
  memory::Block block = std::move(blocks_.back());
  blocks_.pop_back();
  unmap_(std::move(block));
}

void SlabArena::release() noexcept {
  const std::scoped_lock lock(mutex_);
  std::fill(with_room_.begin(), with_room_.end(), nullptr);
  open_ = nullptr;
  empty_chunks_ = 0;
  for (memory::Block& block : blocks_) unmap_(std::move(block));
  blocks_.clear();
  usage_.remove_all();
}

template <class Node>
void SlabArena::link(Node*& first, Node& node) noexcept {
  node.previous = nullptr;
  node.next = first;
  if (first != nullptr) first->previous = &node;
  first = &node;
}

template <class Node>
void SlabArena::unlink(Node*& first, Node& node) noexcept {
  (node.previous != nullptr ? node.previous->next : first) = node.next;
  if (node.next != nullptr) node.next->previous = node.previous;
}

}  // namespace Atoll
