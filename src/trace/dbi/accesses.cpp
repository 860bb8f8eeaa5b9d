// A call after each load and store, which counts it straight into the thread's blocks. Each thread
// of the guest is one of this process.
#include "trace/dbi/accesses.hpp"

#include <pthread.h>

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
/// Without a page. Where this thread counts now is this before its first access, and while the
/// preloaded library has called others for its own ends.
constinit ThreadState nowhere = {};
ATOLL_THREAD_LOCAL ThreadState* counting = &nowhere;
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
  counting = &nowhere;
}

/// In a forked child, after the recorder.
void on_fork() {
  counting = &nowhere;
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
bool counts_now(std::uint64_t address) {
  if (away != 0) return false;
  ThreadState* thread = recorder::atoll_thread_state;
  counting = thread != nullptr ? thread : begin_thread(address);
  return true;
}

__attribute__((noinline, cold)) void count_slowly(std::uint64_t address, std::uint32_t bytes,
                                                  bool is_store) {
  if (counts_now(address)) recorder::record(counting, address, bytes, is_store);
}

__attribute__((noinline, cold)) void carry_over(std::uint64_t address, bool is_store) {
  recorder::carry(counting, recorder::slot_of(counting, address >> 12).block,
                  static_cast<std::uint32_t>((address >> 6) & 63U), is_store);
}

/// Which words of a line an access of 1 << Log2 bytes touches, by where it begins. What goes on in
/// the next line has a bit that no line has. (A table, since a branch on where accesses begin in
/// words is often mispredicted.)
template <unsigned Log2>
struct WordMasks {
  static constexpr unsigned kTwoLines = 0x100;
  std::uint16_t of[64] = {};
  constexpr WordMasks() {
    for (unsigned first = 0; first < 64; ++first) {
      const unsigned last = first + (1U << Log2) - 1;
      of[first] = last < 64 ? recorder::words_of(first, last) : kTwoLines;
    }
  }
};
template <unsigned Log2>
constexpr WordMasks<Log2> kWordMasks;

template <unsigned Log2, bool IsStore>
inline void count(std::uint64_t address) {
  ThreadState* thread = counting;
  const recorder::Slot& slot = recorder::slot_of(thread, address >> 12);
  if (__builtin_expect(!slot.holds(address), 0)) return count_slowly(address, 1U << Log2, IsStore);
  recorder::Block* block = slot.block;
  const std::uint64_t line = (address >> 6) & 63;
  const unsigned words = Log2 == 0 ? 1U << ((address >> 3) & 7) : kWordMasks<Log2>.of[address & 63];
  const unsigned seen = block->words[line];
  if (__builtin_expect((words & ~seen) != 0, 0)) {
    if (words == WordMasks<Log2>::kTwoLines) return count_slowly(address, 1U << Log2, IsStore);
    block->words[line] = static_cast<std::uint8_t>(seen | words);
  }
  std::uint32_t& counter = IsStore ? block->lines[line].writes : block->lines[line].reads;
  if (__builtin_expect(++counter == 0, 0)) carry_over(address, IsStore);
}

/// Each access of an instruction that isn't understood, and all of a stream.
void on_each(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  switch (access & (kLog2Mask << kLog2Shift | 1U << kStoreShift)) {
    case 0:
      return count<0, false>(address);
    case 1U << kStoreShift:
      return count<0, true>(address);
    case 3U << kLog2Shift:
      return count<3, false>(address);
    case 3U << kLog2Shift | 1U << kStoreShift:
      return count<3, true>(address);
    default:
      return count_slowly(address, 1U << ((access >> kLog2Shift) & kLog2Mask), is_store(access));
  }
}

template <unsigned Log2, bool IsStore>
void on_one(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void*) {
  count<Log2, IsStore>(address);
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
void on_vector(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  if (begins_vector(access, address, 1U << Log2)) count<Log2, IsStore>(address);
}

template <unsigned Log2>
void on_each_vector(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  if (begins_vector(access, address, 1U << Log2))
    count_slowly(address, 1U << Log2, is_store(access));
}

/// A group that lies otherwise in its lines than is known.
__attribute__((noinline)) void count_members(const Group* group, std::uint64_t origin) {
  const Members& members = members_of(group);
  for (std::uint32_t i = 0; i < members.count; ++i) {
    const Member& member = members.member[i];
    const std::uint64_t address = origin + static_cast<std::uint64_t>(std::int64_t{member.offset});
    const recorder::Slot& slot = recorder::slot_of(counting, address >> 12);
    recorder::Block* block = slot.block;
    const std::uint64_t line = (address >> 6) & 63;
    if (!slot.holds(address) || (address & 63) + member.bytes > 64) {
      count_slowly(address, member.bytes, member.is_store);
      continue;
    }
    block->words[line] |= recorder::words_of(address, address + member.bytes - 1);
    std::uint32_t& counter = member.is_store ? block->lines[line].writes : block->lines[line].reads;
    if (__builtin_expect(++counter == 0, 0)) carry_over(address, member.is_store);
  }
}

/// The lines of a group that are left, from one on whose page isn't in its slot or one of whose
/// counters is high.
__attribute__((noinline, cold)) void count_lines(const LineCounts* lines, const LineCounts* end,
                                                 std::uint64_t first_line) {
  if (!counts_now(first_line << 6)) return;
  for (; lines != end; ++lines) {
    const std::uint64_t line = first_line + static_cast<std::uint64_t>(std::int64_t{lines->line});
    recorder::add(counting, recorder::block_of(counting, line >> 6),
                  static_cast<std::uint32_t>(line & 63), {lines->more.reads, lines->more.writes},
                  static_cast<std::uint8_t>(lines->words));
  }
}

inline void count_group(const Group* group, std::uint64_t address) {
  const std::uint64_t origin = address + static_cast<std::uint64_t>(group->origin);
  const auto place = group->place[(origin >> 2) % kPlacesInLine];
  if (__builtin_expect((origin & 3) != 0 || place.count == 0, 0))
    return count_members(group, origin);
  ThreadState* thread = counting;
  const std::uint64_t first_line = origin >> 6;
  const LineCounts* lines = group->lines + place.begin;
  const LineCounts* end = lines + place.count;
  do {
    const std::uint64_t line = first_line + static_cast<std::uint64_t>(std::int64_t{lines->line});
    const recorder::Slot& slot = recorder::slot_of(thread, line >> 6);
    if (__builtin_expect(!slot.holds(line << 6), 0)) return count_lines(lines, end, first_line);
    recorder::Block* block = slot.block;
    // (By one wider addition, later ones of half the width would have to wait for it.)
    recorder::Count& counts = block->lines[line & 63];
    const std::uint32_t reads = counts.reads + lines->more.reads;
    const std::uint32_t writes = counts.writes + lines->more.writes;
    if (__builtin_expect(static_cast<std::int32_t>(reads | writes) < 0, 0))
      return count_lines(lines, end, first_line);
    counts.reads = reads;
    counts.writes = writes;
    block->words[line & 63] |= static_cast<std::uint8_t>(lines->words);
  } while (++lines != end);
}

void on_group(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void* group) {
  count_group(static_cast<const Group*>(group), address);
}

template <bool IsStore>
void on_group_of_one_kind(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address,
                          void* group) {
  if (is_store(access) == IsStore) count_group(static_cast<const Group*>(group), address);
}

template <unsigned Log2>
void on_group_of_vector(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address,
                        void* group) {
  if (begins_vector(access, address, 1U << Log2))
    count_group(static_cast<const Group*>(group), address);
}

void on_leaving(unsigned, void*) {
  ++away;
  counting = &nowhere;
}

void on_return(unsigned, void*) {
  if (away != 0) --away;
}

}  // namespace

namespace {

using MemoryCall = void (*)(unsigned, qemu_plugin_meminfo_t, std::uint64_t, void*);

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

bool prepare_threads() {
  for (recorder::Slot& slot : nowhere.slots) slot.begin = recorder::kEmpty;
  return pthread_key_create(&ending_key, on_thread_end) == 0 &&
         pthread_atfork(nullptr, nullptr, on_fork) == 0;
}

}  // namespace Atoll::trace::dbi
