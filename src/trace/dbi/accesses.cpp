// A call after each load and store, which counts it straight into the thread's blocks. Each thread
// of the guest is one of this process.
#include "trace/dbi/accesses.hpp"

#include <pthread.h>

#include "trace/dbi/guest.hpp"
#include "trace/dbi/vector_width.hpp"

namespace Atoll::trace::dbi {
namespace {

using recorder::ThreadState;

#define ATOLL_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local

/// The rest of a vector access, which the emulator makes in parts of 8 bytes.
struct Parts {
  std::uint64_t next;
  std::uint64_t end;
};
ATOLL_THREAD_LOCAL Parts parts = {};
/// Where this thread counts now; null before its first access and while the preloaded library has
/// called others for its own ends.
ATOLL_THREAD_LOCAL ThreadState* counting = nullptr;
ATOLL_THREAD_LOCAL unsigned away = 0;  // how deep the library's calls of others are

pthread_key_t ending_key;
bool is_told = false;  // the program, by its first thread

__attribute__((noinline, cold)) ThreadState* begin_thread(std::uint64_t address) {
  ThreadState* thread = recorder::start_thread();
  pthread_setspecific(ending_key, thread);
  if (!guest.has_library) {
    if (!is_told) tell_program(thread);
    is_told = true;
    tell_stack(thread, address);
  }
  return thread;
}

void on_thread_end(void*) {
  recorder::end_thread();
  counting = nullptr;
}

/// In a forked child, after the recorder.
void on_fork() {
  counting = nullptr;
  if (guest.has_library || recorder::atoll_thread_state == nullptr) return;
  tell_program(recorder::atoll_thread_state);
  tell_stack(recorder::atoll_thread_state, 0);
}

/// Which words of a line an access touches, by the log2 of its bytes and where it begins. What goes
/// on in the next line has a bit that no line has.
struct WordMasks {
  std::uint16_t of[8 * 64] = {};
  constexpr WordMasks() {
    for (unsigned log2 = 0; log2 < 8; ++log2)
      for (unsigned first = 0; first < 64; ++first) {
        const unsigned last = first + (1U << log2) - 1;
        of[log2 * 64 + first] = static_cast<std::uint16_t>(
            last < 64 ? (2U << last / 8) - (1U << first / 8) : kTwoLines);
      }
  }
  static constexpr unsigned kTwoLines = 0x100;
};
constexpr WordMasks kWordMasks;

// Of qemu_plugin_meminfo_t.
constexpr unsigned kLog2Shift = 4, kLog2Mask = 7, kStoreShift = 17;

// The slow ways are calls at the end of the fast one, which so needs no registers saved. Offsets
// are computed in bytes: a call's cost is its number of instructions.

__attribute__((noinline, cold)) void count_slowly(std::uint64_t address,
                                                  qemu_plugin_meminfo_t access) {
  if (away != 0) return;
  ThreadState* thread = recorder::atoll_thread_state;
  if (thread == nullptr) thread = begin_thread(address);
  counting = thread;
  recorder::record(thread, address, 1U << ((access >> kLog2Shift) & kLog2Mask),
                   ((access >> kStoreShift) & 1U) != 0);
}

__attribute__((noinline, cold)) void carry_over(std::uint64_t address,
                                                qemu_plugin_meminfo_t access) {
  ThreadState* thread = recorder::atoll_thread_state;
  recorder::carry(thread, thread->slots[(address >> 12) % recorder::kSlots].block,
                  static_cast<std::uint32_t>((address >> 6) & 63U),
                  ((access >> kStoreShift) & 1U) != 0);
}

inline void count(std::uint64_t address, qemu_plugin_meminfo_t access) {
  static_assert(sizeof(recorder::Slot) == 16 && offsetof(ThreadState, slots) == 0 &&
                sizeof(recorder::Count) == 8 && offsetof(recorder::Block, lines) == 0);
  ThreadState* thread = counting;
  if (__builtin_expect(thread == nullptr, 0)) return count_slowly(address, access);
  const auto* slot = reinterpret_cast<const recorder::Slot*>(
      reinterpret_cast<const char*>(thread) + ((address >> 8) & ((recorder::kSlots - 1) * 16)));
  if (__builtin_expect(slot->begin != (address & ~std::uint64_t{4095}), 0))
    return count_slowly(address, access);
  recorder::Block* block = slot->block;
  const unsigned words =
      kWordMasks.of[((access & (kLog2Mask << kLog2Shift)) << (6 - kLog2Shift)) + (address & 63U)];
  std::uint8_t& seen = block->words[(address >> 6) & 63U];
  if ((words & ~unsigned{seen}) != 0) {
    if (words == WordMasks::kTwoLines) return count_slowly(address, access);
    seen |= static_cast<std::uint8_t>(words);
  }
  auto& counter = *reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(block) +
                                                    ((address >> 3) & (63U * 8)) +
                                                    ((access >> (kStoreShift - 2)) & 4U));
  if (__builtin_expect(++counter == 0, 0)) carry_over(address, access);
}

void on_access(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  count(address, access);
}

/// An instruction whose one access has more bytes than the emulator's parts of it; `data`: their
/// log2.
void on_vector_access(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void* data) {
  const auto all = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data));
  const std::uint64_t bytes = 1U << ((access >> kLog2Shift) & kLog2Mask);
  Parts& rest = parts;
  if (rest.next == address && rest.next < rest.end) {
    rest.next += bytes;
    return;
  }
  rest = {address + bytes, address + (std::uint64_t{1} << all)};
  count(address, (access & ~(kLog2Mask << kLog2Shift)) | all << kLog2Shift);
}

void on_leaving(unsigned, void*) {
  ++away;
  counting = nullptr;
}

void on_return(unsigned, void*) {
  if (away != 0) --away;
}

}  // namespace

// One callback for loads and stores: asked for one of the two, qemu 7.2 calls for the wrong ones.
void watch_accesses(qemu_plugin_insn* instruction) {
  const unsigned width =
      vector_width(static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
                   qemu_plugin_insn_size(instruction), guest.is_64_bit);
  qemu_plugin_register_vcpu_mem_cb(instruction, width == 8 ? on_access : on_vector_access,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                   reinterpret_cast<void*>(std::uintptr_t{width == 32 ? 5U : 4U}));
}

void watch_library_call(qemu_plugin_insn* instruction) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_leaving, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

void watch_library_return(qemu_plugin_insn* instruction) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_return, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

bool prepare_threads() {
  return pthread_key_create(&ending_key, on_thread_end) == 0 &&
         pthread_atfork(nullptr, nullptr, on_fork) == 0;
}

}  // namespace Atoll::trace::dbi
