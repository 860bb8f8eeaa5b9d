// Allocation in the region. Each thread allocates chunks of growing size: thousands of short
// threads use little memory, and long threads seldom contend for the region.
#include "record/inside.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kFirstRoom = 4096, kLargestRoom = std::uint64_t{256} * 1024;
constexpr std::uint64_t kRoomsAtLeast = 64;  // limits chunks to 1/64 of the region, so no thread
                                             // takes memory that others need

}  // namespace

Offset allocate_in_region(std::uint64_t bytes, std::uint64_t alignment) {
  Header* region = header();
  std::uint64_t used = region->used.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t begin = (used + alignment - 1) & ~(alignment - 1);
    if (begin + bytes > region->bytes) return 0;
    if (region->used.compare_exchange_weak(used, begin + bytes, std::memory_order_relaxed))
      return begin;
  }
}

void* allocate_in_room(ThreadState* thread, std::uint64_t bytes) {
  bytes = (bytes + 7) & ~std::uint64_t{7};
  if (bytes > thread->room_bytes) {
    if (thread->next_room_bytes == 0) thread->next_room_bytes = kFirstRoom;
    std::uint64_t wanted = thread->next_room_bytes;
    if (bytes > wanted / 2) {  // separate allocation; the rest of the chunk stays in use
      const Offset apart = allocate_in_region(bytes);
      return apart == 0 ? nullptr : at_offset<void>(apart);
    }
    Offset at = allocate_in_region(wanted);
    while (at == 0 && wanted / 2 >= bytes)
      at = allocate_in_region(wanted /= 2);  // uses what is left
    if (at == 0) return nullptr;
    thread->room = at_offset<std::uint8_t>(at);
    thread->room_bytes = wanted;
    if (wanted < kLargestRoom && wanted < header()->bytes / kRoomsAtLeast)
      thread->next_room_bytes = 2 * wanted;
  }
  void* taken = thread->room;
  thread->room += bytes;
  thread->room_bytes -= bytes;
  return taken;
}

}  // namespace Atoll::record
