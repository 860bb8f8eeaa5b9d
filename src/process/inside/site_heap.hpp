// The allocator of a watched program. Every site's small allocations are in pages of their own, and
// each large one is in a mapping of its own whose addresses aren't given out again, so a page tells
// which object it belongs to. The allocator knows nothing of libc's interface (heap.cpp) and of
// stacks (stack.cpp). It is valid after every single store, so that a fork in the middle of another
// thread's call does no harm. A signal handler must not enter it again (heap.cpp ensures that).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "process/inside/hooks.hpp"
#include "process/inside/page_map.hpp"
#include "process/inside/system.hpp"

namespace Atoll::process::inside {

struct Pool;

/// A site with what the heap keeps for it.
struct HeapSite : Site {
  std::atomic<Pool*> pools;
  std::atomic<std::uint32_t> large;  ///< large allocations so far
  std::atomic<bool> gone;  ///< true if a library that its stack passes through was unloaded
};

inline constexpr unsigned kClasses = 44;  ///< 16, 32, … 128, then 4 to a doubling, to 64 KiB
inline constexpr unsigned kShards = 64;   ///< threads of different shards share no lines
[[nodiscard]] std::size_t class_bytes(unsigned size_class);
/// Returns the least class that holds `bytes` (< kLargeBytes) at multiples of `alignment` (a power
/// of two, at most a page).
[[nodiscard]] unsigned class_of(std::size_t bytes, std::size_t alignment = 16);

/// One site's small allocations of one class by the threads of one shard.
struct Pool {
  HeapSite* site;
  Pool* next;  ///< of the same site
  unsigned size_class, shard;
  Lock lock;
  void* free;              ///< each free piece points to the next
  std::uint8_t *at, *end;  ///< never used yet, zeroed
  std::size_t slab_pages;  ///< of the last slab
  std::uint64_t count, bytes, told_count, told_bytes;
};

struct Slab : PageOwner {
  Pool* pool;
};

struct LargeBlock : PageOwner {
  std::uint8_t* address;  ///< where its pages begin
  std::size_t bytes;      ///< whole pages
  LargeBlock* next_free;
};

/// Returns null if memory is short.
[[nodiscard]] Pool* pool_of(HeapSite& site, unsigned size_class, unsigned shard);
/// Returns a piece for `bytes`, or null if memory is short; `*zeroed` is true if the piece is known
/// to be zero.
[[nodiscard]] void* allocate_small(Pool& pool, std::size_t bytes, bool* zeroed);
void free_small(Slab& slab, void* piece);

/// Returns zeroed pages at a multiple of `alignment` (a power of two), or null if memory is short.
[[nodiscard]] void* allocate_large(HeapSite& site, std::size_t bytes, std::size_t alignment);
void free_large(LargeBlock& block);
/// Returns a larger block with the same contents, by moving pages. Returns null if nothing was
/// changed.
[[nodiscard]] void* grow_large(HeapSite& site, LargeBlock& block, std::size_t bytes);

/// Reports what was allocated in a site's pools and not reported yet.
void tell_small(HeapSite& site);
/// Counts all of that as reported (in a forked child, as the parent reports it).
void forget_small(HeapSite& site);

}  // namespace Atoll::process::inside
