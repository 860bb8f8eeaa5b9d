// Remaining functions that code compiled with -fsanitize=thread calls, and slow paths of its
// accesses.
#include "record/inside/gcc/count.hpp"

namespace record = Atoll::record;

ATOLL_EXPORTED void atoll_gcc_record(std::uint64_t address, std::uint32_t bytes, bool is_write) {
  // The fast path jumps here, so the return address is the program's.
  record::record(record::thread_at(__builtin_return_address(0)), address, bytes, is_write);
}

ATOLL_EXPORTED void atoll_gcc_record_atomic(std::uint64_t address, std::uint32_t bytes,
                                            bool is_write) {
  record::record_timed(record::current_thread(), address, bytes, is_write, {.atomic = true});
}

ATOLL_EXPORTED void atoll_gcc_carry(record::PageCounters* block, std::uint64_t line) {
  record::spill_counts(record::current_thread(), block, line);
}

// NOLINTBEGIN: the names are the compiler's
ATOLL_EXPORTED void __tsan_init() {}
ATOLL_EXPORTED void __tsan_func_entry(void*) {}
ATOLL_EXPORTED void __tsan_func_exit() {}
ATOLL_EXPORTED void __tsan_ignore_thread_begin() {}
ATOLL_EXPORTED void __tsan_ignore_thread_end() {}
// NOLINTEND
