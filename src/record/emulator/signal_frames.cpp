// Moves a misaligned signal frame down by 8 bytes when its handler begins, and adjusts the
// registers that point into it. The frame consists of the return address, the ucontext and the
// siginfo. The saved vector state that follows is aligned and isn't moved, as the ucontext points
// to it. sigreturn and unwinders find the frame by rsp, so both find the moved one.
#include "record/emulator/signal_frames.hpp"

#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#include "atoll/base/hash.hpp"
#include "record/emulator/guest.hpp"

namespace Atoll::record::dbi {
namespace {

constexpr std::int64_t kRtSigaction = 13;  // x86-64
constexpr std::size_t kHandlers = 4096;    // a power of two

/// Addresses of handlers: a hash table that only grows. Threads insert concurrently.
std::atomic<std::uint64_t> handlers[kHandlers];

/// Calls `visit` for the entries of the address's probe sequence until it returns true.
template <typename Visit>
void probe(std::uint64_t address, Visit visit) {
  std::size_t at = (golden_hash(address) >> 40) % kHandlers;
  for (std::size_t i = 0; i != kHandlers; ++i, at = (at + 1) % kHandlers)
    if (visit(handlers[at])) return;
}

bool is_handler(std::uint64_t address) {
  bool found = false;
  probe(address, [&](const std::atomic<std::uint64_t>& entry) {
    const std::uint64_t there = entry.load(std::memory_order_acquire);
    found = there == address;
    return found || there == 0;
  });
  return found;
}

void add_handler(std::uint64_t address) {
  probe(address, [&](std::atomic<std::uint64_t>& entry) {
    std::uint64_t there = 0;
    return entry.compare_exchange_strong(there, address) || there == address;
  });
}

#ifdef __x86_64__

/// First members of qemu's CPU state: the general registers.
struct Registers {
  std::uint64_t ax, cx, dx, bx, sp, bp, si, di;
};

/// True if qemu enters a handler with these registers on a misaligned frame: the arguments are a
/// signal number and pointers into the frame. rsp has a different alignment at the entry of a
/// called function, so this also proves that the registers are where they are expected.
bool is_misaligned(const Registers& registers) {
  return registers.sp % 16 == 0 && registers.dx == registers.sp + 8 && registers.di != 0 &&
         registers.di < static_cast<std::uint64_t>(NSIG) && registers.si > registers.dx &&
         registers.si - registers.dx <= sizeof(ucontext_t);
}

extern "C" void atoll_align_frame(Registers* there) {
  Registers registers = {};
  const iovec to = {&registers, sizeof registers};
  const iovec from = {there, sizeof registers};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof registers ||
      !is_misaligned(registers))
    return;
  std::uint8_t* frame = guest.base + registers.sp;
  memmove(frame - 8, frame, registers.si + sizeof(siginfo_t) - registers.sp);
  there->sp -= 8;
  there->dx -= 8;
  there->si -= 8;
}

// Translated code calls it with rbp pointing to the CPU state.
asm(".pushsection .text\n"
    ".type atoll_on_handler, @function\n"
    "atoll_on_handler:\n"
    "  movq %rbp, %rdi\n"
    "  jmp atoll_align_frame\n"
    ".size atoll_on_handler, . - atoll_on_handler\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) void atoll_on_handler(unsigned, void*);

void add_callback(qemu_plugin_tb* block) {
  qemu_plugin_register_vcpu_tb_exec_cb(block, atoll_on_handler, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

#else
void add_callback(qemu_plugin_tb*) {}
#endif

}  // namespace

void note_handler(const SystemCall& call) {
  if (!guest.is_64_bit || call.number != kRtSigaction || call.argument[1] == 0) return;
  std::uint64_t handler = 0;  // the first member of the kernel's struct sigaction
  if (copy_from_guest(call.argument[1], &handler, sizeof handler) && handler > 1)
    add_handler(handler);  // (0: SIG_DFL, 1: SIG_IGN)
}

void align_handler(qemu_plugin_tb* block, std::uint64_t address) {
  if (guest.is_64_bit && is_handler(address)) add_callback(block);
}

}  // namespace Atoll::record::dbi
