// Functions that code compiled with -fsanitize=thread calls at its loads and stores. They are
// linked, hidden, into each program and library that atollgcc links: a call to another library
// would take longer than the counting. Built twice: with ATOLL_PROGRAM 1 for programs that export
// the thread-local variable to the library, and 0 otherwise.
#include "record/inside/gcc/count.hpp"

#include <cstddef>

namespace record = Atoll::record;
using record::gcc::count;

#if ATOLL_PROGRAM
namespace Atoll::record {

/// Overrides the variable of libatoll-record.so, also within that library. Its offset is known when
/// the program is linked.
__attribute__((tls_model("local-exec"))) constinit thread_local ThreadState* atoll_thread_state =
    nullptr;

}  // namespace Atoll::record
#endif

// Nearly all accesses are aligned and have up to 8 bytes, so their functions are written in
// assembly. In a program, the common case fits in the 64 bytes that are fetched at once, which
// saves an eighth of the time. The accessed word is computed only if the line has words whose bit
// isn't set.
static_assert(offsetof(record::ThreadState, slots) == 0 && record::kSlots == 4096 &&
              sizeof(record::Slot) == 16 && offsetof(record::Slot, begin) == 0 &&
              offsetof(record::Slot, block) == 8 && offsetof(record::PageCounters, lines) == 0 &&
              record::kOneWrite == 1U << 8 && record::kOneRead == std::uint64_t{1} << 32);
#if ATOLL_PROGRAM
#define ATOLL_LOAD_THREAD "mov %fs:atoll_thread_state@tpoff, %rax\n"
#else
#define ATOLL_LOAD_THREAD                         \
  "mov atoll_thread_state@gottpoff(%rip), %rax\n" \
  "mov %fs:(%rax), %rax\n"
#endif
asm(R"(
.macro atoll_name name
.globl \name
.hidden \name
.type \name, @function
\name:
.endm
.macro atoll_access kind, bytes, is_write
.p2align 6
atoll_name __tsan_\kind\bytes
atoll_name __tsan_volatile_\kind\bytes
atoll_name __tsan_\kind\bytes\()_pc
.cfi_startproc
)" ATOLL_LOAD_THREAD R"(
  test %rax, %rax
  je 4f
  mov %edi, %ecx
  shr $8, %ecx
  and $0xfff0, %ecx             # the page's slot
  mov %rdi, %rsi
  sub (%rax,%rcx), %rsi         # less its beginning
  shr $6, %rsi                  # the line
  cmp $63, %rsi
  ja 4f
  mov 8(%rax,%rcx), %rcx        # the block
  cmpb $0xff, (%rcx,%rsi,8)
  jne 2f
1:
.if \is_write
  addl $0x100, (%rcx,%rsi,8)
.else
  incl 4(%rcx,%rsi,8)
.endif
  js 3f
  ret
2:
  shr $3, %edi
  and $7, %edi
  xor %eax, %eax
  bts %edi, %eax
  test %al, (%rcx,%rsi,8)
  jne 1b
  or %al, (%rcx,%rsi,8)         # one instruction: a signal handler's words aren't lost
  jmp 1b
3:
  mov %rcx, %rdi
  jmp atoll_gcc_carry@plt
4:
  mov $\bytes, %esi
  mov $\is_write, %edx
  jmp atoll_gcc_record@plt
.cfi_endproc
.endm
.text
.irp bytes, 1, 2, 4, 8
atoll_access read, \bytes, 0
atoll_access write, \bytes, 1
.endr
)");

// NOLINTBEGIN: the names are the compiler's
#define ATOLL_16(kind, is_write)                         \
  extern "C" void __tsan_##kind##16(void* p) {           \
    count<16, is_write>(p);                              \
  }                                                      \
  extern "C" void __tsan_volatile_##kind##16(void* p) {  \
    count<16, is_write>(p);                              \
  }                                                      \
  extern "C" void __tsan_##kind##16_pc(void* p, void*) { \
    count<16, is_write>(p);                              \
  }
ATOLL_16(read, false)
ATOLL_16(write, true)

#define ATOLL_UPDATE(bytes)                           \
  extern "C" void __tsan_read_write##bytes(void* p) { \
    count<bytes, false>(p);                           \
    count<bytes, true>(p);                            \
  }
ATOLL_UPDATE(1)
ATOLL_UPDATE(2)
ATOLL_UPDATE(4)
ATOLL_UPDATE(8)
ATOLL_UPDATE(16)

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
