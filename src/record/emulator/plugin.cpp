// The plugin of qemu-user that records a program's accesses. It adds callbacks when code is
// translated.
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "record/emulator/counted_threads.hpp"
#include "record/emulator/decode.hpp"
#include "record/emulator/emulator.hpp"
#include "record/emulator/entries.hpp"
#include "record/emulator/guest.hpp"
#include "record/emulator/library.hpp"
#include "record/emulator/qemu_api.hpp"
#include "record/emulator/signal_frames.hpp"
#include "record/emulator/timed_callbacks.hpp"
#include "record/emulator/watch_instruction.hpp"
#include "record/inside/magic.hpp"
#include "record/recorder.hpp"

int qemu_plugin_version = 1;

namespace Atoll::record::dbi {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local SystemCall present_call = {};

bool plans = false;  // counts are independent of the order of accesses in a block
bool is_timed = false;
BlockPlan plan;  // shared: qemu translates one block at a time

/// True if all instructions of a block are the guest's own.
bool is_guests_own(const qemu_plugin_tb* block, std::size_t count) {
  if (count > kMaxInstructions) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (kind_of_code(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, i))) != Code::of_guest)
      return false;
  return true;
}

/// False if the instruction is certainly not atomic: it has no byte of a lock prefix or xchg.
bool may_be_atomic(const qemu_plugin_insn* instruction) {
  const auto* code = static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction));
  return std::any_of(code, code + qemu_plugin_insn_size(instruction), [](std::uint8_t byte) {
    return byte == 0xF0 || byte == 0x86 || byte == 0x87;
  });
}

/// Plans a whole block. Returns false if some of its code isn't the guest's own.
bool make_plan(const qemu_plugin_tb* block, std::size_t count) {
  if (!guest.is_64_bit || !is_guests_own(block, count)) return false;
  plan.begin();
  BlockDecoder decoder(block);
  for (std::size_t i = 0; i < count; ++i) plan.add(decoder.next());
  return true;
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  if (guest.base == nullptr) {
    qemu_plugin_insn* first = qemu_plugin_tb_get_insn(block, 0);
    guest.base =
        static_cast<std::uint8_t*>(qemu_plugin_insn_haddr(first)) - qemu_plugin_insn_vaddr(first);
  }
  align_handler(block, qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
  if (plans && make_plan(block, count)) {
    const EntryRules rules = entry_rules(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)));
    const Watch* watches = plan.finish(rules);
    if (!rules.allowed) test_register_location(block, plan);
    for (std::size_t i = 0; i < plan.entry_count(); ++i) watch_entry(block, plan.entries()[i]);
    for (std::size_t i = 0; i < count; ++i)
      watch_accesses(qemu_plugin_tb_get_insn(block, i), watches[i]);
    return;
  }
  if (is_timed && is_guests_own(block, count)) return watch_timed(block);
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(block, i);
    switch (kind_of_code(qemu_plugin_insn_vaddr(instruction))) {
      case Code::of_guest:
        watch_each(instruction, decode(instruction));
        break;
      case Code::of_library:
        if (may_be_atomic(instruction)) watch_nothing(instruction);
        break;
      case Code::call_by_library:
        watch_library_call(instruction);
        break;
      case Code::return_to_library:
        watch_library_return(instruction);
        break;
    }
  }
}

/// Records whether the thread executes guest code. Only sleep within a system call is the program's
/// own: a thread may also sleep for locks of the emulator.
void record_computes(bool does) {
  const record::ThreadState* const thread = record::atoll_thread_state;
  if (thread != nullptr && thread->record != nullptr)
    thread->record->computes.store(does ? 1 : 0, std::memory_order_release);
}

void on_call(qemu_plugin_id_t, unsigned, std::int64_t number, std::uint64_t a1, std::uint64_t a2,
             std::uint64_t a3, std::uint64_t a4, std::uint64_t a5, std::uint64_t a6, std::uint64_t,
             std::uint64_t) {
  present_call = {number, {a1, a2, a3, a4, a5, a6}};
  on_system_call(present_call);
  record_computes(number == inside::kMagicCall);
}

void on_call_done(qemu_plugin_id_t, unsigned, std::int64_t, std::int64_t result) {
  record_computes(true);
  on_system_call_done(present_call, result);
}

/// Attaches the region at a distant address. The region is larger than the range of a direct call.
/// So it must not be mapped between the plugin and qemu's buffer of translated code, which calls
/// the plugin.
bool attach_far_away() {
  constexpr std::size_t kReach = std::size_t{3} << 29;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  rlimit more = limit;  // temporarily (FrontendMappings::at_start)
  if (limit.rlim_cur != RLIM_INFINITY)
    more.rlim_cur = std::min<rlim_t>(limit.rlim_max, limit.rlim_cur + kReach);
  setrlimit(RLIMIT_AS, &more);
  void* near = mmap(nullptr, kReach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const bool attached = record::attach(guest.emulator.region);
  if (near != MAP_FAILED) munmap(near, kReach);
  setrlimit(RLIMIT_AS, &limit);
  return attached;
}

void on_exit(qemu_plugin_id_t, void*) {
  record::end_process();
}

}  // namespace
}  // namespace Atoll::record::dbi

extern "C" int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                   char** argv) {
  namespace record = Atoll::record;
  using namespace record::dbi;
  if (argc == 1 && strncmp(argv[0], kProbe, strlen(kProbe)) == 0) _exit(kProbed);
  if (!read_guest_options(info->target_name, argc, argv)) return 1;
  if (!attach_far_away() || !prepare_threads()) return 1;
  record::header()->sees_all_writes.store(1);
  record::dbi::is_timed = record::is_timed();
  plans = record::header()->mode == record::Mode::counts;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_call_done);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
