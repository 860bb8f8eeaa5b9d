// Replacements for libc's allocator and locks in the interposers: pages from the system, memory for
// descriptions, and a lock that is usable after a fork.
#pragma once

#include <cerrno>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::process::inside {

/// Restores errno at the end of the scope: malloc and free must not change errno on success.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int kept_ = errno;
};

/// Returns new zeroed pages, at `hint` if that address is free; null if memory is short. Without a
/// hint, uses an area that is separate from the program's pages.
[[nodiscard]] void* map_pages(std::size_t bytes, std::uintptr_t hint = 0);
/// Reserves inaccessible address space. Returns null on failure.
[[nodiscard]] void* reserve_pages(std::size_t bytes, std::uintptr_t hint);
void unmap_pages(void* address, std::size_t bytes);
/// Moves pages to reserved addresses. Returns false if nothing was changed.
[[nodiscard]] bool move_pages(void* from, std::size_t from_bytes, void* to, std::size_t to_bytes);

/// Returns zeroed memory, aligned to 16 bytes, that is never freed; null if memory is short.
[[nodiscard]] void* allocate_permanent(std::size_t bytes);
template <typename T>
[[nodiscard]] T* allocate_permanent() {
  return static_cast<T*>(allocate_permanent(sizeof(T)));
}

/// Number of forks between the first process and this one, from 1. A lock that another thread held
/// at the fork is free in the child. That is safe because the protected data is consistent after
/// every single store.
inline std::atomic<std::uint32_t> generation{1};

class Lock {
 public:
  void lock() {
    const std::uint32_t now = generation.load(std::memory_order_relaxed) << 2;
    std::uint32_t seen = 0;
    if (!word_.compare_exchange_strong(seen, now | kHeld, std::memory_order_acquire))
      lock_slowly(seen, now);
  }
  void unlock() {
    if ((word_.exchange(0, std::memory_order_release) & kStates) == kAwaited) wake();
  }

 private:
  static constexpr std::uint32_t kStates = 3, kHeld = 1, kAwaited = 2;
  void lock_slowly(std::uint32_t seen, std::uint32_t now);
  void wake();
  std::atomic<std::uint32_t> word_{0};
};

class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock& lock_;
};

}  // namespace Atoll::process::inside
