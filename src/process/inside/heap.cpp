// Interposes the allocation functions. C++'s operators call them, as malloc and aligned_alloc.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "process/inside/process.hpp"

#include "atoll/base/page_size.hpp"

namespace Atoll::process::inside {
namespace {

// Clearing and copying count as the program's own accesses. An emulator's plugin attributes
// functions that are called through a pointer to the program, and functions that are called by name
// to Atoll.
void* (*const volatile set)(void*, int, std::size_t) = ::memset;
void* (*const volatile copy)(void*, const void*, std::size_t) = ::memcpy;

/// Header of a mapping for an allocation that is made while the heap is busy (in a signal handler,
/// or during the start), when the heap's structures may be inconsistent. `address` is the header's
/// own address.
struct UrgentBlock : LargeBlock {};
constexpr std::size_t kUrgentHeader = 64;
static_assert(sizeof(UrgentBlock) <= kUrgentHeader);

/// Pieces freed while the heap was busy: a list, linked through the first word of each piece.
std::atomic<void*> deferred{nullptr};

/// Pages of freed urgent blocks. They are kept mapped: if the system placed a thread's stack there,
/// the first touch of that stack would be attributed to the thread of the urgent allocation.
std::atomic<std::uint8_t*> spare_pages[64];

/// Returns zeroed pages, spare ones if there are any; null if memory is short.
std::uint8_t* take_urgent_pages(std::size_t bytes) {
  if (bytes == kPageBytes)
    for (auto& spare : spare_pages)
      if (std::uint8_t* page = spare.exchange(nullptr, std::memory_order_acquire);
          page != nullptr) {
        ::memset(page, 0, kPageBytes);
        return page;
      }
  return static_cast<std::uint8_t*>(map_pages(bytes));
}

void free_urgent_pages(std::uint8_t* pages, std::size_t bytes) {
  if (bytes == kPageBytes)
    for (auto& spare : spare_pages) {
      std::uint8_t* none = nullptr;
      if (spare.compare_exchange_strong(none, pages, std::memory_order_release)) return;
    }
  unmap_pages(pages, bytes);
}

bool urgent(const PageOwner& owner) {
  return owner.large && static_cast<const LargeBlock&>(owner).address ==
                            reinterpret_cast<const std::uint8_t*>(&owner);
}

void* allocate_urgently(std::size_t bytes, std::size_t alignment) {
  const std::size_t header = alignment < kUrgentHeader ? kUrgentHeader : alignment;
  if (header >= kPageBytes) return nullptr;
  const std::size_t all = (header + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  std::uint8_t* pages = take_urgent_pages(all);
  if (pages == nullptr) return nullptr;
  auto* block = reinterpret_cast<UrgentBlock*>(pages);
  block->large = true;
  block->address = pages;
  block->bytes = all;
  if (set_page_owner(pages, 1, block)) return pages + header;
  free_urgent_pages(pages, all);
  return nullptr;
}

std::size_t usable(const PageOwner& owner, const void* piece) {
  if (!owner.large) return class_bytes(static_cast<const Slab&>(owner).pool->size_class);
  const auto& block = static_cast<const LargeBlock&>(owner);
  return static_cast<std::size_t>(block.address + block.bytes -
                                  static_cast<const std::uint8_t*>(piece));
}

void free_piece(PageOwner& owner, void* piece) {
  if (!owner.large) {
    free_small(static_cast<Slab&>(owner), piece);
  } else if (urgent(owner)) {
    const std::size_t bytes = static_cast<LargeBlock&>(owner).bytes;
    (void)set_page_owner(&owner, 1, nullptr);
    free_urgent_pages(reinterpret_cast<std::uint8_t*>(&owner), bytes);
  } else {
    free_large(static_cast<LargeBlock&>(owner));
  }
}

void free_deferred() {
  void* piece = deferred.exchange(nullptr, std::memory_order_acquire);
  while (piece != nullptr) {
    void* following = *static_cast<void**>(piece);
    free_piece(*page_owner(piece), piece);
    piece = following;
  }
}

/// Allocates from the next allocator, without a report.
void* allocate_next(std::size_t bytes, std::size_t alignment, bool zeroed) {
  if (zeroed) return next.calloc(1, bytes);
  return alignment > 16 ? next.memalign(alignment, bytes) : next.malloc(bytes);
}

/// Allocates from Atoll's heap. Returns null and sets errno on failure. `zeroed` requests cleared
/// memory.
void* allocate(const Call& call, std::size_t bytes, std::size_t alignment, bool zeroed) {
  void* piece = nullptr;
  ThreadPart& thread = this_thread_part;
  if (bytes <= PTRDIFF_MAX - kPageBytes) {
    if (thread.busy != 0 || heap.load(std::memory_order_relaxed) != Heap::own)
      piece = allocate_urgently(bytes, alignment);
    else {
      const Inside inside(thread);
      if (deferred.load(std::memory_order_relaxed) != nullptr) free_deferred();
      if (bytes >= kLargeBytes || alignment > kPageBytes) {
        HeapSite& site = site_of(thread, call);
        piece = hooks::wants_large(site, bytes) ? allocate_large(site, bytes, alignment)
                                                : allocate_next(bytes, alignment, zeroed);
      } else if (!small_wanted) {
        piece = allocate_next(bytes, alignment, zeroed);
      } else {
        Pool* pool = pool_at(thread, call, class_of(bytes, alignment));
        bool clean = false;
        piece = pool == nullptr ? nullptr : allocate_small(*pool, bytes, &clean);
        if (piece != nullptr && zeroed && !clean) set(piece, 0, bytes);
      }
    }
  }
  if (piece == nullptr) errno = ENOMEM;
  return piece;
}

void release(PageOwner& owner, void* piece) {
  ThreadPart& thread = this_thread_part;
  if (thread.busy != 0 && !urgent(owner)) {
    void* first = deferred.load(std::memory_order_relaxed);
    do *static_cast<void**>(piece) = first;
    while (!deferred.compare_exchange_weak(first, piece, std::memory_order_release));
    return;
  }
  const Inside inside(thread);
  free_piece(owner, piece);
}

/// Resizes a piece of Atoll's heap. On failure, returns null, sets errno and leaves the piece
/// unchanged.
void* resize(const Call& call, PageOwner& owner, void* piece, std::size_t bytes) {
  const std::size_t now = usable(owner, piece);
  ThreadPart& thread = this_thread_part;
  if (bytes <= now) {
    const bool kept_small = !owner.large && class_of(bytes) + 4 > class_of(now);
    const bool kept_large = owner.large && bytes >= kLargeBytes && bytes > now / 2;
    if (kept_small || kept_large) return piece;
  } else if (owner.large && !urgent(owner) && thread.busy == 0 &&
             bytes <= PTRDIFF_MAX - kPageBytes) {
    const Inside inside(thread);
    void* grown = grow_large(site_of(thread, call), static_cast<LargeBlock&>(owner), bytes);
    if (grown != nullptr) return grown;
  }
  void* moved = allocate(call, bytes, 16, false);
  if (moved == nullptr) return nullptr;
  copy(moved, piece, bytes < now ? bytes : now);
  release(owner, piece);
  return moved;
}

/// If a piece of libc's heap grows to a size that is reported, moves it to Atoll's heap. Else
/// returns null and leaves the piece unchanged.
void* move_from_libc_heap(const Call& call, void* piece, std::size_t bytes) {
  ThreadPart& thread = this_thread_part;
  if (thread.busy != 0 || bytes > PTRDIFF_MAX - kPageBytes) return nullptr;
  void* moved = nullptr;
  {
    const Inside inside(thread);
    HeapSite& site = site_of(thread, call);
    if (hooks::wants_large(site, bytes)) moved = allocate_large(site, bytes, 16);
  }
  if (moved == nullptr) return nullptr;
  const std::size_t now = next.malloc_usable_size(piece);
  copy(moved, piece, bytes < now ? bytes : now);
  next.free(piece);
  return moved;
}

void* aligned(const Call& call, std::size_t alignment, std::size_t bytes) {
  std::size_t power = 16;
  while (power < alignment && power != 0) power *= 2;
  if (power == 0) {
    errno = EINVAL;
    return nullptr;
  }
  if (started() == Heap::next) return next.memalign(power, bytes);
  return allocate(call, bytes, power, false);
}

void* reallocate(const Call& call, void* piece, std::size_t bytes) {
  const Heap from = started();
  PageOwner* owner = piece == nullptr ? nullptr : page_owner(piece);
  if (owner == nullptr && (from == Heap::next || piece != nullptr)) {
    void* moved = from == Heap::own && bytes >= kLargeBytes
                      ? move_from_libc_heap(call, piece, bytes)
                      : nullptr;
    return moved != nullptr ? moved : next.realloc(piece, bytes);
  }
  if (piece == nullptr) return allocate(call, bytes, 16, false);
  if (bytes == 0) {
    release(*owner, piece);
    return nullptr;
  }
  return resize(call, *owner, piece, bytes);
}

}  // namespace
}  // namespace Atoll::process::inside

using Atoll::kPageBytes;
using namespace Atoll::process::inside;

ATOLL_INTERPOSE void* malloc(std::size_t bytes) {
  if (started() == Heap::next) return next.malloc(bytes);
  return allocate(ATOLL_CALL, bytes, 16, false);
}

ATOLL_INTERPOSE void free(void* piece) {
  if (piece == nullptr) return;
  PageOwner* owner = page_owner(piece);
  if (owner != nullptr) return release(*owner, piece);
  (void)started();
  next.free(piece);  // belongs to the next allocator; that allocator reports an invalid pointer
}

ATOLL_INTERPOSE void* calloc(std::size_t n, std::size_t bytes) {
  if (started() == Heap::next) return next.calloc(n, bytes);
  std::size_t all = 0;
  if (__builtin_mul_overflow(n, bytes, &all)) all = SIZE_MAX;
  return allocate(ATOLL_CALL, all, 16, true);
}

ATOLL_INTERPOSE void* realloc(void* piece, std::size_t bytes) {
  return reallocate(ATOLL_CALL, piece, bytes);
}

ATOLL_INTERPOSE void* reallocarray(void* piece, std::size_t n, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(n, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(ATOLL_CALL, piece, all);
}

ATOLL_INTERPOSE int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  const KeepErrno keep;
  void* piece = aligned(ATOLL_CALL, alignment, bytes);
  if (piece == nullptr) return ENOMEM;
  *result = piece;
  return 0;
}

ATOLL_INTERPOSE void* memalign(std::size_t alignment, std::size_t bytes) {
  return aligned(ATOLL_CALL, alignment, bytes);
}

ATOLL_INTERPOSE void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return aligned(ATOLL_CALL, alignment, bytes);
}

ATOLL_INTERPOSE void* valloc(std::size_t bytes) {
  return aligned(ATOLL_CALL, kPageBytes, bytes);
}

ATOLL_INTERPOSE void* pvalloc(std::size_t bytes) {
  if (bytes > PTRDIFF_MAX - kPageBytes) {
    errno = ENOMEM;
    return nullptr;
  }
  return aligned(ATOLL_CALL, kPageBytes,
                 bytes == 0 ? kPageBytes : (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
}

ATOLL_INTERPOSE std::size_t malloc_usable_size(void* piece) {
  if (piece == nullptr) return 0;
  const PageOwner* owner = page_owner(piece);
  if (owner != nullptr) return usable(*owner, piece);
  (void)started();
  return next.malloc_usable_size(piece);
}
