// Remaining functions that code compiled with -fsanitize=thread calls, and slow paths of its
// accesses.
#include "trace/inside/gcc/count.hpp"

namespace recorder = Atoll::trace::recorder;

ATOLL_EXPORTED void atoll_gcc_record(std::uint64_t address, std::uint32_t bytes, bool is_write) {
  // The fast path jumps here, so the return address is the program's.
  recorder::record(recorder::thread_at(__builtin_return_address(0)), address, bytes, is_write);
}

ATOLL_EXPORTED void atoll_gcc_record_atomic(std::uint64_t address, std::uint32_t bytes,
                                            bool is_write) {
  recorder::record_timed(recorder::current_thread(), address, bytes, is_write, {.atomic = true});
}

ATOLL_EXPORTED void atoll_gcc_carry(recorder::PageCounters* block, std::uint64_t line) {
  recorder::spill_counts(recorder::current_thread(), block, line);
}

// NOLINTBEGIN: the names are the compiler's
ATOLL_EXPORTED void __tsan_init() {}
ATOLL_EXPORTED void __tsan_func_entry(void*) {}
ATOLL_EXPORTED void __tsan_func_exit() {}
ATOLL_EXPORTED void __tsan_ignore_thread_begin() {}
ATOLL_EXPORTED void __tsan_ignore_thread_end() {}
// NOLINTEND
