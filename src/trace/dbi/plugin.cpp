// The plugin of qemu-user that records a program's accesses: a call after each load and store,
// which counts it straight into the thread's blocks. Each thread of the guest is one of this
// process.
#include <pthread.h>
#include <string.h>

#include "trace/dbi/guest.hpp"
#include "trace/dbi/qemu_api.hpp"
#include "trace/dbi/vector_width.hpp"
#include "trace/recorder/recorder.hpp"

int qemu_plugin_version = 1;

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
ATOLL_THREAD_LOCAL SystemCall present_call = {};

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

/// In a forked child, after the recorder.
void on_fork() {
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
  ThreadState* thread = recorder::atoll_thread_state;
  if (thread == nullptr) thread = begin_thread(address);
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
  ThreadState* thread = recorder::atoll_thread_state;
  if (__builtin_expect(thread == nullptr, 0)) return count_slowly(address, access);
  const auto* slot = reinterpret_cast<const recorder::Slot*>(
      reinterpret_cast<const char*>(thread) + ((address >> 8) & ((recorder::kSlots - 1) * 16)));
  if (__builtin_expect(slot->page != address >> 12, 0)) return count_slowly(address, access);
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

// One callback for loads and stores: asked for one of the two, qemu 7.2 calls for the wrong ones.
void watch(qemu_plugin_insn* instruction) {
  const unsigned width =
      vector_width(static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
                   qemu_plugin_insn_size(instruction), guest.is_64_bit);
  qemu_plugin_register_vcpu_mem_cb(instruction, width == 8 ? on_access : on_vector_access,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                   reinterpret_cast<void*>(std::uintptr_t{width == 32 ? 5U : 4U}));
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
    const std::uint64_t address = qemu_plugin_insn_vaddr(instruction);
    if (guest.base == nullptr && i == 0)
      guest.base = static_cast<std::uint8_t*>(qemu_plugin_insn_haddr(instruction)) - address;
    if (address >= guest.library_begin && address < guest.library_end) continue;
    watch(instruction);
  }
}

void on_call(qemu_plugin_id_t, unsigned, std::int64_t number, std::uint64_t a1, std::uint64_t a2,
             std::uint64_t a3, std::uint64_t a4, std::uint64_t a5, std::uint64_t a6, std::uint64_t,
             std::uint64_t) {
  present_call = {number, {a1, a2, a3, a4, a5, a6}};
  on_system_call(present_call);
}

void on_call_done(qemu_plugin_id_t, unsigned, std::int64_t, std::int64_t result) {
  on_system_call_done(present_call, result);
}

void on_thread_end(void*) {
  recorder::end_thread();
}

void on_exit(qemu_plugin_id_t, void*) {
  recorder::end_process();
}

}  // namespace
}  // namespace Atoll::trace::dbi

extern "C" int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                   char** argv) {
  using namespace Atoll::trace;
  using namespace Atoll::trace::dbi;
  if (!know_guest(info->target_name, argc, argv)) return 1;
  if (!recorder::attach(guest.emulator.region)) return 1;
  if (pthread_key_create(&ending_key, on_thread_end) != 0 ||
      pthread_atfork(nullptr, nullptr, on_fork) != 0)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_call_done);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
