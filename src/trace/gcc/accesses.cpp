// What code compiled with -fsanitize=thread calls at its loads and stores. Linked into each program
// and library that atollgcc links, hidden there: calling another library would take longer than
// counting does. Built once for each, with ATOLL_PROGRAM (0 or 1).
#include "trace/gcc/count.hpp"

using Atoll::trace::gcc::count;

#if ATOLL_PROGRAM
namespace Atoll::trace::recorder {

/// The program's variable stands for that of libatoll-record.so, there too: its place is known when
/// the program is linked.
__attribute__((tls_model("local-exec"))) constinit thread_local ThreadState* atoll_thread_state =
    nullptr;

}  // namespace Atoll::trace::recorder
#endif

// NOLINTBEGIN: the names are the compiler's
#define ATOLL_ACCESSES(bytes)                                \
  extern "C" void __tsan_read##bytes(void* p) {              \
    count<bytes, false>(p);                                  \
  }                                                          \
  extern "C" void __tsan_write##bytes(void* p) {             \
    count<bytes, true>(p);                                   \
  }                                                          \
  extern "C" void __tsan_volatile_read##bytes(void* p) {     \
    count<bytes, false>(p);                                  \
  }                                                          \
  extern "C" void __tsan_volatile_write##bytes(void* p) {    \
    count<bytes, true>(p);                                   \
  }                                                          \
  extern "C" void __tsan_read##bytes##_pc(void* p, void*) {  \
    count<bytes, false>(p);                                  \
  }                                                          \
  extern "C" void __tsan_write##bytes##_pc(void* p, void*) { \
    count<bytes, true>(p);                                   \
  }                                                          \
  extern "C" void __tsan_read_write##bytes(void* p) {        \
    count<bytes, false>(p);                                  \
    count<bytes, true>(p);                                   \
  }
ATOLL_ACCESSES(1)
ATOLL_ACCESSES(2)
ATOLL_ACCESSES(4)
ATOLL_ACCESSES(8)
ATOLL_ACCESSES(16)

#define ATOLL_UNALIGNED(bytes)                                      \
  extern "C" void __tsan_unaligned_read##bytes(void* p) {           \
    count<bytes, false, false>(p);                                  \
  }                                                                 \
  extern "C" void __tsan_unaligned_write##bytes(void* p) {          \
    count<bytes, true, false>(p);                                   \
  }                                                                 \
  extern "C" void __tsan_unaligned_volatile_read##bytes(void* p) {  \
    count<bytes, false, false>(p);                                  \
  }                                                                 \
  extern "C" void __tsan_unaligned_volatile_write##bytes(void* p) { \
    count<bytes, true, false>(p);                                   \
  }                                                                 \
  extern "C" void __tsan_unaligned_read_write##bytes(void* p) {     \
    count<bytes, false, false>(p);                                  \
    count<bytes, true, false>(p);                                   \
  }
ATOLL_UNALIGNED(2)
ATOLL_UNALIGNED(4)
ATOLL_UNALIGNED(8)
ATOLL_UNALIGNED(16)

extern "C" void __tsan_vptr_read(void** p) {
  count<8, false>(p);
}
extern "C" void __tsan_vptr_update(void** p, void*) {
  count<8, true>(p);
}
// NOLINTEND
