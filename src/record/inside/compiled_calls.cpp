// Functions that code instrumented by the pass plugin calls. While recording is off, none of them
// is called: the functions' plain versions run.
#include "record/compiler/abi.hpp"
#include "record/recorder.hpp"

namespace {

namespace record = Atoll::record;
using record::current_thread;
using record::thread_at;
using record::ThreadState;
using record::compiled::Meta;
using record::compiled::TimedMeta;

/// Defines a function of two arguments that preserves every register but r11. `function` also gets
/// its return address.
#define ATOLL_KEEPING_REGISTERS(name, function)                                        \
  asm(".text\n.globl " name "\n.type " name ", @function\n" name                       \
      ":\n.cfi_startproc\n"                                                            \
      "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"                     \
      "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"                                   \
      "push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\n"    \
      "push %r10\nmov 8(%rbp), %rdx\nand $-16, %rsp\ncall " function                   \
      "\nlea -64(%rbp), %rsp\n"                                                        \
      "pop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\n" \
      "pop %rbp\n.cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n.size " name ", .-" name "\n")

ATOLL_KEEPING_REGISTERS("atoll_compiled_slow", "atoll_compiled_slow_call");
ATOLL_KEEPING_REGISTERS("atoll_compiled_log_full", "atoll_compiled_log_full_call");

void record_one(ThreadState* thread, std::uint64_t address, std::uint64_t bytes, bool memory,
                std::uint32_t n, bool is_write) {
  if (n == 0) return;
  if (memory)
    record::record_bytes(thread, address, bytes, is_write);
  else if (n == 1)
    record::record(thread, address, static_cast<std::uint32_t>(bytes), is_write);
  else
    record::record_repeated(thread, address, n, static_cast<std::uint32_t>(bytes), is_write);
}

/// Records one range of a loop. Ranges of a loop are recorded one after the other; in a stream,
/// each iteration of the outer loop contains all of them.
void record_nest(ThreadState* thread, std::uint64_t address, std::int64_t step, std::uint64_t n,
                 std::int64_t outer_step, std::uint64_t outer_n, std::uint32_t packed) {
  const Meta meta = Meta::of(packed);
  record::record_walk(thread,
                      {.address = address,
                       .step = step,
                       .n = n,
                       .outer_step = outer_step,
                       .outer_n = outer_n,
                       .bytes = meta.bytes,
                       .reads = meta.reads,
                       .writes = meta.writes,
                       .atomic = meta.atomic},
                      meta.more);
}

record::Timing timing_of(const TimedMeta& meta, std::uint64_t load) {
  return {.dependence = load, .work = meta.work, .atomic = meta.atomic, .stepped = meta.stepped};
}

void record_timed_nest(std::uint64_t address, std::int64_t step, std::uint64_t n,
                       std::int64_t outer_step, std::uint64_t outer_n, std::uint64_t load,
                       std::uint64_t packed) {
  const TimedMeta meta = TimedMeta::of(packed);
  record::record_walk_timed(current_thread(),
                            {.address = address,
                             .step = step,
                             .n = n,
                             .outer_step = outer_step,
                             .outer_n = outer_n,
                             .bytes = meta.meta.bytes,
                             .reads = meta.meta.reads,
                             .writes = meta.meta.writes},
                            timing_of(meta, load), meta.meta.more);
}

// The pass plugin's code depends on this offset.
static_assert(offsetof(ThreadState, timed) == record::kSlots * sizeof(record::Slot));

}  // namespace

extern "C" {

#define ATOLL_EXPORTED __attribute__((visibility("default")))

ATOLL_EXPORTED std::uint8_t atoll_compiled_active = 0;
ATOLL_EXPORTED std::uint8_t atoll_compiled_is_timed = 0;

__attribute__((constructor(101))) static void find_out() {
  const bool wanted = record::attach() && record::header()->mode != record::Mode::samples;
  atoll_compiled_active = wanted ? 1 : 0;
  atoll_compiled_is_timed = wanted && record::is_timed() ? 1 : 0;
}

ATOLL_EXPORTED ThreadState* atoll_compiled_start() {
  return record::start_thread();
}

__attribute__((visibility("hidden"), used)) void atoll_compiled_slow_call(std::uint64_t address,
                                                                          std::uint32_t packed,
                                                                          const void* place) {
  const Meta meta = Meta::of(packed);
  ThreadState* thread = thread_at(place);
  record_one(thread, address, meta.bytes, meta.memory, meta.reads, false);
  if (meta.atomic)
    record::record_atomic_write(thread, address, meta.bytes);
  else
    record_one(thread, address, meta.bytes, meta.memory, meta.writes, true);
}

__attribute__((visibility("hidden"), used)) void atoll_compiled_log_full_call(ThreadState* thread) {
  record::flush_task_log(thread);
}

ATOLL_EXPORTED void atoll_compiled_bytes(std::uint64_t address, std::uint64_t bytes,
                                         std::uint32_t packed) {
  const Meta meta = Meta::of(packed);
  ThreadState* thread = thread_at(__builtin_return_address(0));
  if (bytes != 0) record::record_bytes(thread, address, bytes, meta.writes != 0);
}

ATOLL_EXPORTED void atoll_compiled_range(std::uint64_t address, std::int64_t step, std::uint64_t n,
                                         std::uint32_t packed) {
  record_nest(thread_at(__builtin_return_address(0)), address, 0, 1, step, n, packed);
}

ATOLL_EXPORTED void atoll_compiled_nest(std::uint64_t address, std::int64_t step, std::uint64_t n,
                                        std::int64_t outer_step, std::uint64_t outer_n,
                                        std::uint32_t packed) {
  record_nest(thread_at(__builtin_return_address(0)), address, step, n, outer_step, outer_n,
              packed);
}

ATOLL_EXPORTED std::uint64_t atoll_compiled_timed(std::uint64_t address, std::uint64_t load,
                                                  std::uint64_t packed) {
  const TimedMeta meta = TimedMeta::of(packed);
  ThreadState* thread = current_thread();
  record::Timing timing = timing_of(meta, load);
  if (meta.meta.memory) {
    record_one(thread, address, meta.meta.bytes, true, meta.meta.reads, false);
    record_one(thread, address, meta.meta.bytes, true, meta.meta.writes, true);
    return 0;
  }
  std::uint64_t number = 0;
  if (meta.meta.reads != 0) {
    number = record::record_timed(thread, address, meta.meta.bytes, false, timing);
    timing.work = {};
  }
  if (meta.meta.writes != 0) record::record_timed(thread, address, meta.meta.bytes, true, timing);
  return number;
}

ATOLL_EXPORTED void atoll_compiled_timed_range(std::uint64_t address, std::int64_t step,
                                               std::uint64_t n, std::uint64_t load,
                                               std::uint64_t packed) {
  record_timed_nest(address, 0, 1, step, n, load, packed);
}

ATOLL_EXPORTED void atoll_compiled_timed_nest(std::uint64_t address, std::int64_t step,
                                              std::uint64_t n, std::int64_t outer_step,
                                              std::uint64_t outer_n, std::uint64_t load,
                                              std::uint64_t packed) {
  record_timed_nest(address, step, n, outer_step, outer_n, load, packed);
}

ATOLL_EXPORTED void atoll_compiled_masked(std::uint64_t address, std::uint64_t mask,
                                          std::uint32_t packed) {
  const Meta meta = Meta::of(packed);
  ThreadState* thread = thread_at(__builtin_return_address(0));
  if (meta.reads != 0) record::record_lanes(thread, address, mask, meta.bytes, false);
  if (meta.writes != 0) record::record_lanes(thread, address, mask, meta.bytes, true);
}
}
