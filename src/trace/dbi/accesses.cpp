// A call after each load and store, which counts it straight into the thread's blocks. Each thread
// of the guest is one of this process.
#include "trace/dbi/accesses.hpp"

#include <pthread.h>
#include <unistd.h>

#include <bit>

#include "trace/dbi/guest.hpp"
#include "trace/dbi/vector_width.hpp"
#include "trace/recorder/counting.hpp"

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
/// Without a page.
constinit ThreadState nowhere = {};
constexpr std::size_t kMostThreads = 1 << 22;  // that Linux can have at a time
/// Where each thread counts now, by the emulator's number of it, which is sooner there than a
/// variable of the thread: `nowhere` before its first access, and while the preloaded library has
/// called others for its own ends.
ThreadState* counting[kMostThreads];
ATOLL_THREAD_LOCAL unsigned away = 0;  // how deep the library's calls of others are
ATOLL_THREAD_LOCAL unsigned this_cpu = 0;

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

/// Its number is above all that live, so that programs whose threads start their own successors
/// come to ever higher ones.
void on_new_cpu(qemu_plugin_id_t, unsigned cpu) {
  if (cpu >= kMostThreads) {
    constexpr char kWhy[] = "atoll: dbi can't number more threads; profile a shorter run\n";
    static_cast<void>(!write(STDERR_FILENO, kWhy, sizeof kWhy - 1));
    _exit(1);
  }
  counting[cpu] = &nowhere;
}

void on_thread_end(void*) {
  recorder::end_thread();  // its number may be another's already
}

/// In a forked child, after the recorder.
void on_fork() {
  counting[this_cpu] = &nowhere;
  if (guest.has_library || recorder::atoll_thread_state == nullptr) return;
  tell_program(recorder::atoll_thread_state);
  tell_stack(recorder::atoll_thread_state, 0);
}

// Of qemu_plugin_meminfo_t.
constexpr unsigned kLog2Shift = 4, kLog2Mask = 7, kStoreShift = 17;
bool is_store(qemu_plugin_meminfo_t access) {
  return ((access >> kStoreShift) & 1U) != 0;
}

// The slow ways are calls at the end of the fast ones, which so need no registers saved. Sizes,
// kinds and what belongs together are known when code is translated: a callback's cost is its
// number of instructions.

/// Makes this thread known where it isn't yet; false: what it does isn't counted now.
bool counts_now(unsigned cpu, std::uint64_t address) {
  if (away != 0) return false;
  ThreadState* thread = recorder::atoll_thread_state;
  counting[cpu] = thread != nullptr ? thread : begin_thread(address);
  this_cpu = cpu;
  return true;
}

__attribute__((noinline, cold)) void count_slowly(unsigned cpu, std::uint64_t address,
                                                  std::uint32_t bytes, bool is_store) {
  if (counts_now(cpu, address)) recorder::record(counting[cpu], address, bytes, is_store);
}

/// Which words of a line an access of 1 << Log2 bytes touches, by where it begins; kFull where it
/// goes on in the next line. (A table, since a branch on where accesses begin in words is often
/// mispredicted.)
template <unsigned Log2>
struct WordMasks {
  recorder::Line of[64] = {};
  constexpr WordMasks() {
    for (unsigned first = 0; first < 64; ++first) {
      const unsigned last = first + (1U << Log2) - 1;
      of[first] = last < 64 ? recorder::words_of(first, last) : recorder::kFull;
    }
  }
};
template <unsigned Log2>
constexpr WordMasks<Log2> kWordMasks;

template <unsigned Log2, bool IsStore>
inline void count(unsigned cpu, std::uint64_t address) {
  const recorder::Slot& slot = recorder::slot_of(counting[cpu], address >> 12);
  const std::uint64_t in_page = address - slot.begin;
  if (__builtin_expect(in_page >= 4096, 0)) return count_slowly(cpu, address, 1U << Log2, IsStore);
  recorder::Line& line = slot.block->lines[in_page / 64];
  const recorder::Line words =
      Log2 == 0 ? 1U << (in_page / 8 % 8) : kWordMasks<Log2>.of[in_page % 64];
  const recorder::Line sum = (line + (IsStore ? recorder::kOneWrite : recorder::kOneRead)) | words;
  // Its own half's sign says it, without a mask.
  const bool full =
      IsStore ? static_cast<std::int32_t>(sum) < 0 : static_cast<std::int64_t>(sum) < 0;
  if (__builtin_expect(full, 0)) return count_slowly(cpu, address, 1U << Log2, IsStore);
  line = sum;
}

/// Each access of an instruction that isn't understood, and all of a stream.
void on_each(unsigned cpu, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  switch (access & (kLog2Mask << kLog2Shift | 1U << kStoreShift)) {
    case 0:
      return count<0, false>(cpu, address);
    case 1U << kStoreShift:
      return count<0, true>(cpu, address);
    case 3U << kLog2Shift:
      return count<3, false>(cpu, address);
    case 3U << kLog2Shift | 1U << kStoreShift:
      return count<3, true>(cpu, address);
    default:
      return count_slowly(cpu, address, 1U << ((access >> kLog2Shift) & kLog2Mask),
                          is_store(access));
  }
}

template <unsigned Log2, bool IsStore>
void on_one(unsigned cpu, qemu_plugin_meminfo_t, std::uint64_t address, void*) {
  count<Log2, IsStore>(cpu, address);
}

/// Whether a part of a vector access of `all` bytes is its first.
inline bool begins_vector(qemu_plugin_meminfo_t access, std::uint64_t address, std::uint32_t all) {
  const std::uint64_t bytes = 1U << ((access >> kLog2Shift) & kLog2Mask);
  Parts& rest = parts;
  if (rest.next == address && rest.next < rest.end) {
    rest.next += bytes;
    return false;
  }
  rest = {address + bytes, address + all};
  return true;
}

template <unsigned Log2, bool IsStore>
void on_vector(unsigned cpu, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  if (begins_vector(access, address, 1U << Log2)) count<Log2, IsStore>(cpu, address);
}

template <unsigned Log2>
void on_each_vector(unsigned cpu, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  if (begins_vector(access, address, 1U << Log2))
    count_slowly(cpu, address, 1U << Log2, is_store(access));
}

/// A group of which an access lies in two lines, or which isn't at a multiple of 4.
__attribute__((noinline)) void count_members(unsigned cpu, const Group* group,
                                             std::uint64_t origin) {
  const Members& members = members_of(group);
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member& member = members.member[i];
    const std::uint64_t address = origin + static_cast<std::uint64_t>(std::int64_t{member.offset});
    const recorder::Slot& slot = recorder::slot_of(counting[cpu], address >> 12);
    if (!slot.holds(address) || (address & 63) + member.bytes > 64)
      count_slowly(cpu, address, member.bytes, member.is_store);
    else
      recorder::add(counting[cpu], slot.block, (address >> 6) & 63,
                    member.is_store ? recorder::kOneWrite : recorder::kOneRead,
                    recorder::words_of(address, address + member.bytes - 1));
  }
}

/// The lines of a group from one on that is full, or all.
__attribute__((noinline)) void count_lines(unsigned cpu, const LineCounts* lines,
                                           std::uint64_t origin) {
  if (counting[cpu] == &nowhere && !counts_now(cpu, origin)) return;
  ThreadState* thread = counting[cpu];
  do {
    const std::uint64_t line = (origin >> 6) + lines->offset / sizeof(recorder::Line);
    recorder::add(thread, recorder::block_of(thread, line >> 6), line & 63, lines->counts,
                  lines->words);
  } while (!lines++->last);
}

/// A group that isn't in one page, or whose page isn't in its slot.
__attribute__((noinline)) void count_otherwise(unsigned cpu, const Group* group,
                                               std::uint64_t origin) {
  const std::uint16_t begin = group->place[(origin >> 2) % kPlacesInLine].begin;
  if ((origin & 3) != 0 || begin == 0) return count_members(cpu, group, origin);
  count_lines(cpu, lines_at(group, begin), origin);
}

inline void count_group(unsigned cpu, const Group* group, std::uint64_t address) {
  const std::uint64_t origin = address + static_cast<std::uint64_t>(group->origin);
  const recorder::Slot& slot = recorder::slot_of(counting[cpu], origin >> 12);
  // Of another page, or no multiple of 4, it is above all limits.
  const std::uint64_t place = std::rotr(origin - slot.begin, 2);
  const auto way = group->place[place % kPlacesInLine];
  if (__builtin_expect(place >= way.limit, 0)) return count_otherwise(cpu, group, origin);
  auto* first = reinterpret_cast<std::uint8_t*>(slot.block->lines + place / kPlacesInLine);
  asm("" : "+r"(first));  // a number from here on: else it is added up for each line
  for (const LineCounts* lines = lines_at(group, way.begin);; ++lines) {
    recorder::Line& line = *reinterpret_cast<recorder::Line*>(first + lines->offset);
    const recorder::Line sum = (line | lines->words) + lines->counts;
    if (__builtin_expect((sum & recorder::kFull) != 0, 0)) return count_lines(cpu, lines, origin);
    line = sum;
    if (lines->last) return;
  }
}

void on_group(unsigned cpu, qemu_plugin_meminfo_t, std::uint64_t address, void* group) {
  count_group(cpu, static_cast<const Group*>(group), address);
}

template <bool IsStore>
void on_group_of_one_kind(unsigned cpu, qemu_plugin_meminfo_t access, std::uint64_t address,
                          void* group) {
  if (is_store(access) == IsStore) count_group(cpu, static_cast<const Group*>(group), address);
}

template <unsigned Log2>
void on_group_of_vector(unsigned cpu, qemu_plugin_meminfo_t access, std::uint64_t address,
                        void* group) {
  if (begins_vector(access, address, 1U << Log2))
    count_group(cpu, static_cast<const Group*>(group), address);
}

void on_leaving(unsigned cpu, void*) {
  ++away;
  counting[cpu] = &nowhere;
}

void on_return(unsigned, void*) {
  if (away != 0) --away;
}

}  // namespace

namespace {

using MemoryCall = void (*)(unsigned cpu, qemu_plugin_meminfo_t, std::uint64_t, void*);

template <bool IsStore>
MemoryCall call_for_one(std::uint8_t bytes) {
  switch (bytes) {
    case 1:
      return on_one<0, IsStore>;
    case 2:
      return on_one<1, IsStore>;
    case 4:
      return on_one<2, IsStore>;
    case 8:
      return on_one<3, IsStore>;
    case 16:
      return on_vector<4, IsStore>;
    default:
      return on_vector<5, IsStore>;
  }
}

MemoryCall call_for_group(const Watch& watch) {
  if (watch.access.bytes > 8)
    return watch.access.bytes == 16 ? on_group_of_vector<4> : on_group_of_vector<5>;
  if (!watch.of_two) return on_group;
  return watch.access.is_store ? on_group_of_one_kind<true> : on_group_of_one_kind<false>;
}

/// One callback for loads and stores: asked for one of the two, qemu 7.2 calls for the wrong ones.
void call_at(qemu_plugin_insn* instruction, MemoryCall call, const void* data = nullptr) {
  qemu_plugin_register_vcpu_mem_cb(instruction, call, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                   const_cast<void*>(data));
}

}  // namespace

void watch_each(qemu_plugin_insn* instruction) {
  const unsigned width =
      vector_width(static_cast<const std::uint8_t*>(qemu_plugin_insn_data(instruction)),
                   qemu_plugin_insn_size(instruction), guest.is_64_bit);
  call_at(instruction, width == 8 ? on_each : width == 16 ? on_each_vector<4> : on_each_vector<5>);
}

void watch_accesses(qemu_plugin_insn* instruction, const Watch& watch) {
  switch (watch.what) {
    case Watch::What::nothing:
      return;
    case Watch::What::each:
      return watch_each(instruction);
    case Watch::What::one:
      return call_at(instruction, watch.access.is_store ? call_for_one<true>(watch.access.bytes)
                                                        : call_for_one<false>(watch.access.bytes));
    case Watch::What::group:
      return call_at(instruction, call_for_group(watch), watch.group);
  }
}

void watch_library_call(qemu_plugin_insn* instruction) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_leaving, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

void watch_library_return(qemu_plugin_insn* instruction) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_return, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

bool prepare_threads(qemu_plugin_id_t id) {
  qemu_plugin_register_vcpu_init_cb(id, on_new_cpu);
  recorder::clear_slots(&nowhere);
  return pthread_key_create(&ending_key, on_thread_end) == 0 &&
         pthread_atfork(nullptr, nullptr, on_fork) == 0;
}

}  // namespace Atoll::trace::dbi
