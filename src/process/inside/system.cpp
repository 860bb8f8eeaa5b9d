// Requests memory by direct system calls, because libc's own functions are interposed.
#include "process/inside/system.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "atoll/base/page_size.hpp"
#include "process/inside/futex.hpp"

namespace Atoll::process::inside {
namespace {

constexpr std::size_t kDescriptions = 256 << 10;

struct Room {
  std::uint8_t* at;
  std::size_t left;
};
/// Next address for this library's own pages (x86-64, and arm64 with 48-bit addresses; elsewhere
/// the system chooses). A separate area keeps the program's addresses independent of the order in
/// which threads start.
std::atomic<std::uintptr_t> next_own{std::uintptr_t{0x18} << 40};

Lock room_lock;
Room room;

void* map(std::size_t bytes, std::uintptr_t hint, int protection, int more_flags) {
  const KeepErrno keep;
  const long found =
      ::syscall(SYS_mmap, hint, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return found == -1 ? nullptr : reinterpret_cast<void*>(found);
}

}  // namespace

void* map_pages(std::size_t bytes, std::uintptr_t hint) {
  if (hint == 0) hint = next_own.fetch_add((bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
  return map(bytes, hint, PROT_READ | PROT_WRITE, 0);  // fails where libc's mmap would
}

void* reserve_pages(std::size_t bytes, std::uintptr_t hint) {
  return map(bytes, hint, PROT_NONE, MAP_NORESERVE);
}

void unmap_pages(void* address, std::size_t bytes) {
  const KeepErrno keep;
  ::syscall(SYS_munmap, address, bytes);
}

bool move_pages(void* from, std::size_t from_bytes, void* to, std::size_t to_bytes) {
  const KeepErrno keep;
  return ::syscall(SYS_mremap, from, from_bytes, to_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != -1;
}

void* allocate_permanent(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes >= kDescriptions / 4) return map_pages(bytes);
  const Locked locked(room_lock);
  if (room.left < bytes) {
    void* fresh = map_pages(kDescriptions);
    if (fresh == nullptr) return nullptr;
    room.left = 0;  // this order is valid if a fork occurs in between
    std::atomic_signal_fence(std::memory_order_seq_cst);
    room.at = static_cast<std::uint8_t*>(fresh);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    room.left = kDescriptions;
  }
  std::uint8_t* taken = room.at;
  room.left -= bytes;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  room.at = taken + bytes;
  return taken;
}

void Lock::lock_slowly(std::uint32_t seen, std::uint32_t now) {
  std::uint32_t mine = now | kHeld;
  for (;;) {
    if ((seen & kStates) == 0 || (seen & ~kStates) != now) {  // free, or held before the fork
      if (word_.compare_exchange_weak(seen, mine, std::memory_order_acquire)) return;
      continue;
    }
    if ((seen & kStates) == kHeld &&
        !word_.compare_exchange_weak(seen, now | kAwaited, std::memory_order_relaxed))
      continue;
    futex(word_, FUTEX_WAIT_PRIVATE, now | kAwaited);
    mine = now | kAwaited;  // other threads may still wait
    seen = word_.load(std::memory_order_relaxed);
  }
}

void Lock::wake() {
  futex(word_, FUTEX_WAKE_PRIVATE, 1);
}

}  // namespace Atoll::process::inside
