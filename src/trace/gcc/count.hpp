// The fast path of an access of constant length, for functions that do little else.
#pragma once

#include "trace/recorder/recorder.hpp"

namespace Atoll::trace::gcc {

/// A thread's first access, out of the way of the others.
__attribute__((cold, noinline)) inline void count_first(std::uint64_t address, std::uint32_t bytes,
                                                        bool is_write) {
  recorder::record(recorder::start_thread(), address, bytes, is_write);
}

/// An access at a multiple of its length, a power of two up to 16, or of 8 where it is longer.
template <std::uint32_t Bytes, bool IsWrite, bool IsAligned = true>
inline void count(const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  recorder::ThreadState* thread = recorder::atoll_thread_state;
  if (__builtin_expect(thread == nullptr, 0)) return count_first(address, Bytes, IsWrite);
  const std::uint64_t page = address >> 12;
  const recorder::Slot& slot = thread->slots[page % recorder::kSlots];
  bool simple = slot.page == page;
  if constexpr (!IsAligned) simple = simple && (address & 7U) + Bytes <= 8;
  if constexpr (Bytes > 8) simple = simple && (address & (Bytes - 1)) == 0;
  if (__builtin_expect(!simple, 0)) return recorder::record(thread, address, Bytes, IsWrite);
  const auto line = static_cast<std::uint32_t>((address >> 6) & 63U);
  recorder::Block* block = slot.block;
  constexpr unsigned kWords = Bytes > 8 ? 3 : 1;
  const auto words = static_cast<std::uint8_t>(kWords << ((address >> 3) & 7U));
  // Mostly they are known; storing them each time would make the next access wait.
  if ((block->words[line] & words) != words) block->words[line] |= words;
  std::uint32_t& counter = IsWrite ? block->lines[line].writes : block->lines[line].reads;
  if (__builtin_expect(++counter == 0, 0)) recorder::carry(thread, block, line, IsWrite);
}

}  // namespace Atoll::trace::gcc

#define ATOLL_EXPORTED extern "C" __attribute__((visibility("default")))
