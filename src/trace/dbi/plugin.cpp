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

__attribute__((noinline, cold)) ThreadState* begin_thread(std::uint64_t address) {
  ThreadState* thread = recorder::start_thread();
  pthread_setspecific(ending_key, thread);
  if (!guest.has_library) tell_stack(thread, address);
  return thread;
}

ThreadState* this_thread(std::uint64_t address) {
  ThreadState* thread = recorder::atoll_thread_state;
  return __builtin_expect(thread != nullptr, 1) ? thread : begin_thread(address);
}

struct Access {
  std::uint32_t bytes;
  bool is_write;
};
Access taken_apart(qemu_plugin_meminfo_t access) {
  return {1U << ((access >> 4) & 7U), ((access >> 17) & 1U) != 0};
}

void count(std::uint64_t address, std::uint32_t bytes, bool is_write) {
  ThreadState* thread = this_thread(address);
  const std::uint64_t page = address >> 12;
  const recorder::Slot& slot = thread->slots[page % recorder::kSlots];
  const auto in_line = static_cast<std::uint32_t>(address & 63U);
  if (__builtin_expect(slot.page != page || in_line + bytes > 64, 0)) {
    recorder::record(thread, address, bytes, is_write);
    return;
  }
  recorder::Block* block = slot.block;
  const auto line = static_cast<std::uint32_t>((address >> 6) & 63U);
  std::uint32_t& counter = (&block->lines[line].reads)[is_write ? 1 : 0];
  if (__builtin_expect(++counter == 0, 0)) recorder::carry(thread, block, line, is_write);
  block->words[line] |=
      static_cast<std::uint8_t>((2U << ((in_line + bytes - 1) >> 3)) - (1U << (in_line >> 3)));
}

void on_access(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  const Access made = taken_apart(access);
  count(address, made.bytes, made.is_write);
}

/// An instruction whose one access has as many bytes as `width` says.
void on_vector_access(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void* width) {
  const Access made = taken_apart(access);
  Parts& rest = parts;
  if (rest.next == address && rest.next < rest.end) {
    rest.next += made.bytes;
    return;
  }
  const auto all = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(width));
  rest = {address + made.bytes, address + all};
  count(address, all, made.is_write);
}

// One callback for loads and stores: asked for one of the two, qemu 7.2 calls for the wrong ones.
void watch(qemu_plugin_insn* instruction) {
  const unsigned width =
      vector_width(static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
                   qemu_plugin_insn_size(instruction), guest.is_64_bit);
  qemu_plugin_register_vcpu_mem_cb(instruction, width == 8 ? on_access : on_vector_access,
                                   QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                   reinterpret_cast<void*>(static_cast<std::uintptr_t>(width)));
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
  if (pthread_key_create(&ending_key, on_thread_end) != 0) return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_call_done);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
