// Adds a callback to a load or store, which counts the access.
#include "record/emulator/watch_instruction.hpp"

#include <bit>

#include "record/emulator/access_info.hpp"
#include "record/emulator/count_callbacks.hpp"
#include "record/emulator/counted_threads.hpp"
#include "record/emulator/decode.hpp"
#include "record/tasks.hpp"

namespace Atoll::record::dbi {
namespace {

/// Counts each access of an instruction that can't be decoded, and all accesses of a stream. With
/// several threads, qemu reports an atomic instruction once, as a load and a store.
void on_each(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  const std::uint32_t bytes = bytes_of(access);
  switch (access & (kLog2Mask << kLog2Shift | kLoad | kStore)) {
    case kLoad:
      return count<0, false>(address);
    case kStore:
      return count<0, true>(address);
    case 3U << kLog2Shift | kLoad:
      return count<3, false>(address);
    case 3U << kLog2Shift | kStore:
      return count<3, true>(address);
    default:
      if ((access & kLoad) != 0) count_slowly(bytes, address, false);
      if (is_store(access)) count_slowly(bytes, address, true);
  }
}

/// Same for an atomic instruction. If tasks are recorded, its stores are distinguished from others.
void on_atomic(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  const std::uint32_t bytes = bytes_of(access);
  if ((access & kLoad) != 0) count_slowly(bytes, address, false);
  if (is_store(access)) count_atomic_store(bytes, address);
}

template <unsigned Log2, bool IsStore>
void on_one(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void*) {
  count<Log2, IsStore>(address);
}

template <unsigned Log2, bool IsStore>
void on_vector(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  if (begins_vector(access, address, 1U << Log2)) count<Log2, IsStore>(address);
}

template <unsigned Log2>
void on_each_vector(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address, void*) {
  if (begins_vector(access, address, 1U << Log2))
    count_slowly(1U << Log2, address, is_store(access));
}

template <bool IsNarrow>
inline void count_packed(void* group, std::uint64_t address) {
  const PackedGroup packed(group);
  count_group<IsNarrow>(packed.group(), address + packed.origin());
}

template <bool IsNarrow>
void on_group(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void* group) {
  count_packed<IsNarrow>(group, address);
}

template <bool IsStore>
void on_group_of_one_kind(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address,
                          void* group) {
  if (is_store(access) == IsStore) count_packed<false>(group, address);
}

template <unsigned Log2>
void on_group_of_vector(unsigned, qemu_plugin_meminfo_t access, std::uint64_t address,
                        void* group) {
  if (begins_vector(access, address, 1U << Log2)) count_packed<false>(group, address);
}

void on_nothing(unsigned, qemu_plugin_meminfo_t, std::uint64_t, void*) {}

void on_leaving(unsigned, void*) {
  leave_library();
}

void on_return(unsigned, void*) {
  return_to_library();
}

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
  if (!watch.of_two) return watch.group->is_narrow ? on_group<true> : on_group<false>;
  return watch.access.is_store ? on_group_of_one_kind<true> : on_group_of_one_kind<false>;
}

/// Adds one callback for both loads and stores: if only one kind is requested, qemu 7.2 reports
/// accesses of the wrong kind.
void call_at(qemu_plugin_insn* instruction, MemoryCall call, void* data = nullptr) {
  qemu_plugin_register_vcpu_mem_cb(instruction, call, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                   data);
}

}  // namespace

void watch_each(qemu_plugin_insn* instruction, const Instruction& decoded) {
  if (record::header() != nullptr && record::is_by_task() && decoded.is_atomic)
    return call_at(instruction, on_atomic);
  const std::uint8_t bytes = decoded.vector_bytes;
  call_at(instruction, bytes == 8 ? on_each : bytes == 16 ? on_each_vector<4> : on_each_vector<5>);
}

void watch_accesses(qemu_plugin_insn* instruction, const Watch& watch) {
  switch (watch.what) {
    case Watch::What::nothing:
      return;
    case Watch::What::each:
      return watch_each(instruction, decode(instruction));
    case Watch::What::one:
      return call_at(instruction, watch.access.is_store ? call_for_one<true>(watch.access.bytes)
                                                        : call_for_one<false>(watch.access.bytes));
    case Watch::What::group:
      return call_at(instruction, call_for_group(watch),
                     PackedGroup(watch.group, watch.origin).data());
  }
}

void watch_nothing(qemu_plugin_insn* instruction) {
  call_at(instruction, on_nothing);
}

void watch_library_call(qemu_plugin_insn* instruction) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_leaving, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

void watch_library_return(qemu_plugin_insn* instruction) {
  qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_return, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

}  // namespace Atoll::record::dbi
