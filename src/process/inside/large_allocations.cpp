// Large allocations: each is a mapping of its own, at ascending addresses. A freed address is
// reused only after the whole area has been used, and has no memory until then. No address space is
// reserved for the area, so it doesn't count against RLIMIT_AS.
#include "process/inside/site_heap.hpp"

#include "atoll/base/page_size.hpp"

namespace Atoll::process::inside {
namespace {

// Bounds of the area, which neither programs nor the system's own choice of addresses use (x86-64,
// and arm64 with 48-bit addresses). On other machines the system chooses the addresses.
constexpr std::uintptr_t kBegin = std::uintptr_t{0x20} << 40, kEnd = std::uintptr_t{0x50} << 40;
std::atomic<std::uintptr_t> next_address{kBegin};

Lock spare_lock;
LargeBlock* spare = nullptr;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

/// Returns an unused range of `bytes` addresses.
std::uintptr_t fresh_addresses(std::size_t bytes, std::size_t alignment) {
  std::uintptr_t next = next_address.load(std::memory_order_relaxed), begin = 0;
  do {
    begin = (next + alignment - 1) & ~(alignment - 1);
    if (begin > kEnd || kEnd - begin < bytes) begin = (kBegin + alignment - 1) & ~(alignment - 1);
  } while (!next_address.compare_exchange_weak(next, begin + bytes, std::memory_order_relaxed));
  return begin;
}

LargeBlock* new_block() {
  {
    const Locked locked(spare_lock);
    if (spare != nullptr) {
      LargeBlock* taken = spare;
      spare = taken->next_free;
      return taken;
    }
  }
  auto* block = allocate_permanent<LargeBlock>();
  if (block != nullptr) block->large = true;
  return block;
}

void recycle(LargeBlock& block) {
  const Locked locked(spare_lock);
  block.next_free = spare;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  spare = &block;
}

/// Returns pages at a multiple of `alignment`; with `reserve`, inaccessible ones.
std::uint8_t* aligned_pages(std::size_t bytes, std::size_t alignment, bool reserve) {
  const auto get = [&](std::size_t size, std::uintptr_t hint) {
    return static_cast<std::uint8_t*>(reserve ? reserve_pages(size, hint) : map_pages(size, hint));
  };
  const InTurn turn;
  std::uint8_t* found = get(bytes, fresh_addresses(bytes, alignment));
  if (found == nullptr || reinterpret_cast<std::uintptr_t>(found) % alignment == 0) return found;
  unmap_pages(found, bytes);  // the system ignored the hint: map more and unmap the ends
  std::uint8_t* more = bytes + alignment < bytes ? nullptr : get(bytes + alignment, 0);
  if (more == nullptr) return nullptr;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(more) & (alignment - 1);
  if (before != 0) unmap_pages(more, before);
  unmap_pages(more + before + bytes, alignment - before);
  return more + before;
}

/// Reports the block's pages. If there is no memory for the block's description, unmaps the pages
/// and returns null.
void* begin_block(HeapSite& site, std::uint8_t* pages, std::size_t bytes, std::size_t asked) {
  LargeBlock* block = new_block();
  if (block != nullptr) {
    block->address = pages;
    block->bytes = bytes;
    if (set_page_owner(pages, 1, block)) {
      hooks::on_allocated(site, pages, asked, site.large.fetch_add(1, std::memory_order_relaxed));
      return pages;
    }
    recycle(*block);
  }
  unmap_pages(pages, bytes);
  return nullptr;
}

}  // namespace

void* allocate_large(HeapSite& site, std::size_t bytes, std::size_t alignment) {
  if (alignment < kPageBytes) alignment = kPageBytes;
  if (bytes == 0) bytes = 1;
  const std::size_t size = whole_pages(bytes);
  if (size < bytes) return nullptr;
  std::uint8_t* pages = aligned_pages(size, alignment, false);
  return pages == nullptr ? nullptr : begin_block(site, pages, size, bytes);
}

void free_large(LargeBlock& block) {
  std::uint8_t* address = block.address;
  const std::size_t bytes = block.bytes;
  hooks::on_freed(address, bytes);
  (void)set_page_owner(address, 1, nullptr);
  recycle(block);
  unmap_pages(address, bytes);
}

void* grow_large(HeapSite& site, LargeBlock& block, std::size_t bytes) {
  if (!hooks::may_move()) return nullptr;
  const std::size_t size = whole_pages(bytes);
  if (size < bytes) return nullptr;
  std::uint8_t* to = aligned_pages(size, kPageBytes, true);
  if (to == nullptr) return nullptr;
  std::uint8_t* from = block.address;
  const std::size_t from_bytes = block.bytes;
  if (!set_page_owner(to, 1, &block) || !move_pages(from, from_bytes, to, size)) {
    (void)set_page_owner(to, 1, nullptr);
    unmap_pages(to, size);
    return nullptr;
  }
  hooks::on_remapped(from, from_bytes, to);
  hooks::on_freed(from, from_bytes);
  (void)set_page_owner(from, 1, nullptr);
  block.address = to;
  block.bytes = size;
  hooks::on_allocated(site, to, bytes, site.large.fetch_add(1, std::memory_order_relaxed));
  return to;
}

}  // namespace Atoll::process::inside
