// What the interposers use instead of libc's allocator and locks: memory straight from the system,
// memory for descriptions, and a lock that survives a fork.
#pragma once

#include <cerrno>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::process::inside {

inline constexpr std::size_t kPage = 4096;

/// Restores errno: malloc and free leave it alone if they succeed.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int kept_ = errno;
};

/// Returns fresh zeroed pages, at `hint` if that is free; null if there are none. Without a hint,
/// they are apart from those that the program gets.
[[nodiscard]] void* map_pages(std::size_t bytes, std::uintptr_t hint = 0);
/// Returns pages that are only reserved.
[[nodiscard]] void* reserve_pages(std::size_t bytes, std::uintptr_t hint);
void unmap_pages(void* address, std::size_t bytes);
/// Moves pages onto reserved ones. Returns false if nothing was changed.
[[nodiscard]] bool move_pages(void* from, std::size_t from_bytes, void* to, std::size_t to_bytes);

/// Returns zeroed memory, aligned to 16, that is never freed; null if there is none.
[[nodiscard]] void* describe(std::size_t bytes);
template <typename T>
[[nodiscard]] T* describe() {
  return static_cast<T*>(describe(sizeof(T)));
}

/// Counts the forks that led to this process. If another thread held a lock when the process
/// forked, the lock is free in the child: what it guards is valid after every single store.
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
