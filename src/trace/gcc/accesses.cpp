// What code compiled with -fsanitize=thread calls at its loads and stores.
#include "trace/gcc/count.hpp"

using Atoll::trace::gcc::count;
namespace recorder = Atoll::trace::recorder;

// NOLINTBEGIN: the names are the compiler's
#define ATOLL_ACCESSES(bytes)                                    \
  ATOLL_EXPORTED void __tsan_read##bytes(void* p) {              \
    count<bytes, false>(p);                                      \
  }                                                              \
  ATOLL_EXPORTED void __tsan_write##bytes(void* p) {             \
    count<bytes, true>(p);                                       \
  }                                                              \
  ATOLL_EXPORTED void __tsan_volatile_read##bytes(void* p) {     \
    count<bytes, false>(p);                                      \
  }                                                              \
  ATOLL_EXPORTED void __tsan_volatile_write##bytes(void* p) {    \
    count<bytes, true>(p);                                       \
  }                                                              \
  ATOLL_EXPORTED void __tsan_read##bytes##_pc(void* p, void*) {  \
    count<bytes, false>(p);                                      \
  }                                                              \
  ATOLL_EXPORTED void __tsan_write##bytes##_pc(void* p, void*) { \
    count<bytes, true>(p);                                       \
  }                                                              \
  ATOLL_EXPORTED void __tsan_read_write##bytes(void* p) {        \
    count<bytes, false>(p);                                      \
    count<bytes, true>(p);                                       \
  }
ATOLL_ACCESSES(1)
ATOLL_ACCESSES(2)
ATOLL_ACCESSES(4)
ATOLL_ACCESSES(8)
ATOLL_ACCESSES(16)

#define ATOLL_UNALIGNED(bytes)                                          \
  ATOLL_EXPORTED void __tsan_unaligned_read##bytes(void* p) {           \
    count<bytes, false, false>(p);                                      \
  }                                                                     \
  ATOLL_EXPORTED void __tsan_unaligned_write##bytes(void* p) {          \
    count<bytes, true, false>(p);                                       \
  }                                                                     \
  ATOLL_EXPORTED void __tsan_unaligned_volatile_read##bytes(void* p) {  \
    count<bytes, false, false>(p);                                      \
  }                                                                     \
  ATOLL_EXPORTED void __tsan_unaligned_volatile_write##bytes(void* p) { \
    count<bytes, true, false>(p);                                       \
  }                                                                     \
  ATOLL_EXPORTED void __tsan_unaligned_read_write##bytes(void* p) {     \
    count<bytes, false, false>(p);                                      \
    count<bytes, true, false>(p);                                       \
  }
ATOLL_UNALIGNED(2)
ATOLL_UNALIGNED(4)
ATOLL_UNALIGNED(8)
ATOLL_UNALIGNED(16)

ATOLL_EXPORTED void __tsan_vptr_read(void** p) {
  count<8, false>(p);
}
ATOLL_EXPORTED void __tsan_vptr_update(void** p, void*) {
  count<8, true>(p);
}

static void count_bytes(const void* p, unsigned long bytes, bool is_write) {
  if (bytes != 0)
    recorder::record_bytes(recorder::current_thread(), reinterpret_cast<std::uint64_t>(p), bytes,
                           is_write);
}
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

ATOLL_EXPORTED void __tsan_init() {}
ATOLL_EXPORTED void __tsan_func_entry(void*) {}
ATOLL_EXPORTED void __tsan_func_exit() {}
ATOLL_EXPORTED void __tsan_ignore_thread_begin() {}
ATOLL_EXPORTED void __tsan_ignore_thread_end() {}
// NOLINTEND
