// Allocator for tables with random access. Uses huge pages if the system has some, as most look-ups
// would miss the host's TLB otherwise.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace Atoll::simulate {

template <typename T>
struct HugeAllocator {
  using value_type = T;
  HugeAllocator() = default;
  template <typename U>
  HugeAllocator(const HugeAllocator<U>&) {}  // NOLINT(google-explicit-constructor): a conversion

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const std::align_val_t alignment = alignment_of(bytes);
    void* const memory = ::operator new(bytes, alignment);
#ifdef MADV_HUGEPAGE
    if (bytes >= kHuge) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: may fail
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, alignment_of(count * sizeof(T)));
  }
  friend bool operator==(const HugeAllocator&, const HugeAllocator&) { return true; }

 private:
  static constexpr std::size_t kHuge = std::size_t{2} << 20, kLine = 64;
  static std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t{bytes >= kHuge ? kHuge : kLine};
  }
};

}  // namespace Atoll::simulate
