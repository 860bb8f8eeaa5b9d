// The allocator of a watched program. Each site's small allocations have pages of their own. Each
// large allocation is a mapping of its own, whose addresses aren't reused. So a page identifies its
// object or site. libc's interface (heap.cpp) and stacks (stack.cpp) are separate. The structures
// are consistent after every single store, so a fork during another thread's call is harmless. A
// signal handler must not enter the allocator while its thread is inside it; heap.cpp ensures that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "process/inside/hooks.hpp"
#include "process/inside/page_map.hpp"
#include "process/inside/system.hpp"

namespace Atoll::process::inside {

struct Pool;

/// A site with its heap data.
struct HeapSite : Site {
  std::atomic<Pool*> pools;
  std::atomic<std::uint32_t> large;  ///< number of large allocations so far
  std::atomic<bool> gone;            ///< true once a library on its stack was unloaded
};

inline constexpr unsigned kClasses = 44;  ///< 16, 32, … 128, then 4 per power of two, to 64 KiB
inline constexpr unsigned kShards = 64;   ///< threads of different shards share no cache lines
[[nodiscard]] std::size_t class_bytes(unsigned size_class);
/// Returns the smallest class that holds `bytes` (< kLargeBytes) at multiples of `alignment` (a
/// power of two, at most a page).
[[nodiscard]] unsigned class_of(std::size_t bytes, std::size_t alignment = 16);

/// Small allocations of one site and one size class, by the threads of one shard.
struct Pool {
  HeapSite* site;
  Pool* next;  ///< next pool of the same site
  unsigned size_class, shard;
  Lock lock;
  void* free;              ///< list, linked through the first word of each free piece
  std::uint8_t *at, *end;  ///< rest of the last slab: never used yet, zeroed
  std::size_t slab_pages;  ///< size of the last slab
  std::uint64_t count, bytes, reported_count, reported_bytes;
};

struct Slab : PageOwner {
  Pool* pool;
};

struct LargeBlock : PageOwner {
  std::uint8_t* address;  ///< begin of its pages
  std::size_t bytes;      ///< a multiple of the page size
  LargeBlock* next_free;
};

/// Returns the site's pool, which is created if necessary; null if memory is short.
[[nodiscard]] Pool* pool_of(HeapSite& site, unsigned size_class, unsigned shard);
/// Allocates a piece of `bytes`; null if memory is short. Sets `*zeroed` if the piece is known to
/// be zero.
[[nodiscard]] void* allocate_small(Pool& pool, std::size_t bytes, bool* zeroed);
void free_small(Slab& slab, void* piece);

/// Returns zeroed pages at a multiple of `alignment` (a power of two), or null if memory is short.
[[nodiscard]] void* allocate_large(HeapSite& site, std::size_t bytes, std::size_t alignment);
void free_large(LargeBlock& block);
/// Enlarges a block by moving its pages; the contents stay. On failure, returns null and leaves the
/// block unchanged.
[[nodiscard]] void* grow_large(HeapSite& site, LargeBlock& block, std::size_t bytes);

/// Reports the small allocations in a site's pools since the last report.
void report_small(HeapSite& site);
/// Marks them as reported, without a report. Called in a forked child, because the parent reports
/// them.
void forget_small(HeapSite& site);

}  // namespace Atoll::process::inside
