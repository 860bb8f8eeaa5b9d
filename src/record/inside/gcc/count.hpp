// Fast path of an access of constant length, for functions that do little else.
#pragma once

#include "record/recorder.hpp"

#define ATOLL_EXPORTED extern "C" __attribute__((visibility("default")))

// Slow paths, in libatoll-record.so: accesses that aren't simple, a thread's first access, and full
// lines.
ATOLL_EXPORTED void atoll_gcc_record(std::uint64_t address, std::uint32_t bytes, bool is_write);
ATOLL_EXPORTED void atoll_gcc_record_atomic(std::uint64_t address, std::uint32_t bytes,
                                            bool is_write);
ATOLL_EXPORTED void atoll_gcc_carry(Atoll::record::PageCounters* block, std::uint64_t line);

namespace Atoll::record::gcc {

/// Counts an access of `Bytes` bytes, a power of two up to 16. If IsAligned, its address must be a
/// multiple of `Bytes`, or of 8 if `Bytes` is 16.
template <std::uint32_t Bytes, bool IsWrite, bool IsAligned = true, bool IsAtomic = false>
inline void count(const void* pointer) {
  constexpr auto count_otherwise = IsAtomic ? atoll_gcc_record_atomic : atoll_gcc_record;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  record::ThreadState* thread = record::atoll_thread_state;
  if (__builtin_expect(thread == nullptr, 0)) return count_otherwise(address, Bytes, IsWrite);
  const record::Slot& slot = record::slot_of(thread, address >> 12);
  bool simple = slot.holds(address);
  if constexpr (!IsAligned) simple = simple && (address & 7U) + Bytes <= 8;
  if constexpr (Bytes > 8) simple = simple && (address & (Bytes - 1)) == 0;
  if (__builtin_expect(!simple, 0)) return count_otherwise(address, Bytes, IsWrite);
  record::Line& counts = slot.block->lines[(address >> 6) & 63U];
  const record::Line words = record::Line{Bytes > 8 ? 3 : 1} << ((address >> 3) & 7U);
  if (__builtin_expect((counts & (words | record::kFull)) != words, 0))
    return count_otherwise(address, Bytes, IsWrite);
  record::add_at_once(counts, IsWrite ? record::kOneWrite : record::kOneRead);
}

}  // namespace Atoll::record::gcc
