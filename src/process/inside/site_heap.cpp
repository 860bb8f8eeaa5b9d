// Small allocations: pools, their slabs and free lists.
#include "process/inside/site_heap.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>

#include "atoll/base/page_size.hpp"

namespace Atoll::process::inside {
namespace {

constexpr std::size_t kChunk = 4 << 20;  // slabs are allocated from chunks
constexpr std::size_t kMaximumSlabPages = 128;
constexpr unsigned kLinear = 8;  // classes up to 128 bytes, in steps of 16

// Address of the next chunk; chunks are consecutive (x86-64, and arm64 with 48-bit addresses;
// elsewhere the system chooses).
std::atomic<std::uintptr_t> next_chunk{std::uintptr_t{0x1c} << 40};
Lock chunk_lock;
std::uint8_t* chunk = nullptr;
std::size_t chunk_left = 0;

void barrier() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Returns pages of a chunk. If no chunk can be mapped, maps only the requested pages.
void* take_pages(std::size_t bytes) {
  const Locked locked(chunk_lock);
  if (chunk_left < bytes) {
    void* fresh = map_pages(kChunk, next_chunk.fetch_add(kChunk));
    if (fresh == nullptr) return map_pages(bytes);
    const KeepErrno keep;  // a huge page would contain several sites
    ::syscall(SYS_madvise, fresh, kChunk, MADV_NOHUGEPAGE);
    chunk_left = 0;
    barrier();
    chunk = static_cast<std::uint8_t*>(fresh);
    barrier();
    chunk_left = kChunk;
  }
  void* taken = chunk;
  chunk_left -= bytes;
  barrier();
  chunk += bytes;
  return taken;
}

void report(Pool& pool) {
  const std::uint64_t count = pool.count - pool.reported_count,
                      bytes = pool.bytes - pool.reported_bytes;
  pool.reported_count = pool.count;
  pool.reported_bytes = pool.bytes;
  if (count != 0) hooks::on_small(*pool.site, count, bytes);
}

bool add_slab(Pool& pool) {
  const std::size_t piece = class_bytes(pool.size_class);
  std::size_t pages = pool.slab_pages * 2;
  pages = pages == 0 ? 1 : pages < kMaximumSlabPages ? pages : kMaximumSlabPages;
  if (pages * kPageBytes < piece) pages = (piece + kPageBytes - 1) / kPageBytes;
  auto* slab = allocate_permanent<Slab>();
  auto* begin =
      slab == nullptr ? nullptr : static_cast<std::uint8_t*>(take_pages(pages * kPageBytes));
  if (begin == nullptr) return false;
  slab->pool = &pool;
  if (!set_page_owner(begin, pages, slab)) return false;
  report(pool);
  hooks::on_slab(*pool.site, begin, pages * kPageBytes);
  pool.slab_pages = pages;
  pool.at = nullptr;
  barrier();
  pool.end = begin + pages * kPageBytes / piece * piece;
  barrier();
  pool.at = begin;
  return true;
}

/// Returns null if the pool is exhausted. The caller holds its lock.
void* take_piece(Pool& pool, std::size_t bytes, bool* zeroed) {
  void* piece = pool.free;
  *zeroed = piece == nullptr;
  if (piece != nullptr) {
    pool.free = *static_cast<void**>(piece);
  } else {
    if (pool.at == nullptr || pool.at == pool.end) return nullptr;
    piece = pool.at;
    pool.at += class_bytes(pool.size_class);
  }
  ++pool.count;
  pool.bytes += bytes;
  return piece;
}

}  // namespace

std::size_t class_bytes(unsigned size_class) {
  if (size_class < kLinear) return std::size_t{16} * (size_class + 1);
  const unsigned doubling = (size_class - kLinear) / 4, step = (size_class - kLinear) % 4 + 1;
  return (std::size_t{128} << doubling) + step * (std::size_t{32} << doubling);
}

unsigned class_of(std::size_t bytes, std::size_t alignment) {
  unsigned found = 0;
  if (bytes <= 128) {
    found = bytes == 0 ? 0 : static_cast<unsigned>((bytes - 1) / 16);
  } else {
    const auto doubling = static_cast<unsigned>(std::bit_width(bytes - 1)) - 8;
    const std::size_t above = bytes - 1 - (std::size_t{128} << doubling);
    found = kLinear + 4 * doubling + static_cast<unsigned>(above / (std::size_t{32} << doubling));
  }
  while (class_bytes(found) % alignment != 0) ++found;
  return found;
}

Pool* pool_of(HeapSite& site, unsigned size_class, unsigned shard) {
  Pool* first = site.pools.load(std::memory_order_acquire);
  for (Pool* pool = first; pool != nullptr; pool = pool->next)
    if (pool->size_class == size_class && pool->shard == shard) return pool;
  auto* pool = allocate_permanent<Pool>();
  if (pool == nullptr) return nullptr;
  pool->site = &site;
  pool->size_class = size_class;
  pool->shard = shard;
  do pool->next = first;  // two threads of a shard may both add a pool, which is harmless
  while (!site.pools.compare_exchange_weak(first, pool, std::memory_order_acq_rel));
  return pool;
}

void* allocate_small(Pool& pool, std::size_t bytes, bool* zeroed) {
  {
    const Locked locked(pool.lock);
    if (void* piece = take_piece(pool, bytes, zeroed); piece != nullptr) return piece;
  }
  const InTurn turn;
  const Locked locked(pool.lock);
  if (void* piece = take_piece(pool, bytes, zeroed); piece != nullptr) return piece;
  return add_slab(pool) ? take_piece(pool, bytes, zeroed) : nullptr;
}

void free_small(Slab& slab, void* piece) {
  Pool& pool = *slab.pool;
  const Locked locked(pool.lock);
  *static_cast<void**>(piece) = pool.free;
  barrier();
  pool.free = piece;
}

void report_small(HeapSite& site) {
  for (Pool* pool = site.pools.load(std::memory_order_acquire); pool != nullptr;
       pool = pool->next) {
    const Locked locked(pool->lock);
    report(*pool);
  }
}

void forget_small(HeapSite& site) {
  for (Pool* pool = site.pools.load(std::memory_order_acquire); pool != nullptr;
       pool = pool->next) {
    const Locked locked(pool->lock);
    pool->reported_count = pool->count;
    pool->reported_bytes = pool->bytes;
  }
}

}  // namespace Atoll::process::inside
