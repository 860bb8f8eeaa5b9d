// Accesses of any length: those to aggregates, and those by memcpy, memmove and memset. For the
// latter, clang calls __tsan_memcpy etc. gcc calls libc's functions, which the linker replaces by
// __wrap_memcpy etc. (--wrap) in the output of atollgcc.
#include <string.h>

#include "record/inside/gcc/count.hpp"

namespace record = Atoll::record;

namespace {

[[gnu::always_inline]] inline void count_bytes(const void* p, std::size_t bytes, bool is_write) {
  record::ThreadState* thread = record::thread_at(__builtin_return_address(0));
  if (bytes != 0) record::record_bytes(thread, reinterpret_cast<std::uint64_t>(p), bytes, is_write);
}

}  // namespace

// NOLINTBEGIN: the names are the compiler's and the linker's
#define ATOLL_COPY(prefix, name)                                                     \
  ATOLL_EXPORTED void* prefix##name(void* to, const void* from, std::size_t bytes) { \
    count_bytes(from, bytes, false);                                                 \
    count_bytes(to, bytes, true);                                                    \
    return ::name(to, from, bytes);                                                  \
  }
#define ATOLL_SET(prefix)                                                       \
  ATOLL_EXPORTED void* prefix##memset(void* to, int value, std::size_t bytes) { \
    count_bytes(to, bytes, true);                                               \
    return ::memset(to, value, bytes);                                          \
  }
ATOLL_COPY(__tsan_, memcpy)
ATOLL_COPY(__tsan_, memmove)
ATOLL_SET(__tsan_)
ATOLL_COPY(__wrap_, memcpy)
ATOLL_COPY(__wrap_, memmove)
ATOLL_SET(__wrap_)

ATOLL_EXPORTED void __tsan_read_range(void* p, unsigned long bytes) {
  count_bytes(p, bytes, false);
}
ATOLL_EXPORTED void __tsan_write_range(void* p, unsigned long bytes) {
  count_bytes(p, bytes, true);
}
ATOLL_EXPORTED void __tsan_read_range_pc(void* p, unsigned long bytes, void*) {
  count_bytes(p, bytes, false);
}
ATOLL_EXPORTED void __tsan_write_range_pc(void* p, unsigned long bytes, void*) {
  count_bytes(p, bytes, true);
}
// NOLINTEND
