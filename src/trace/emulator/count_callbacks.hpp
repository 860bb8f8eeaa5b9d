// How the plugin's callbacks count: straight into the counters of the thread that runs. The slow
// ways are calls at the end of the fast ones, so these need no registers saved. Sizes, kinds and
// groups are known when code is translated: a callback costs its number of instructions, and the
// cache lines that they need.
#pragma once

#include <bit>

#include "trace/emulator/group.hpp"
#include "trace/recorder/counting.hpp"

namespace Atoll::trace::dbi {

/// The state that this thread counts in now; while nothing is counted, one that holds no page.
extern __attribute__((tls_model("initial-exec"),
                      visibility("hidden"))) thread_local constinit recorder::ThreadState* counting;

// (The parameters are where most callbacks have them.)
/// Counts an access whose page isn't in its slot, of two lines, or of a line that is full.
void count_slowly(std::uint32_t bytes, std::uint64_t address, bool is_store);
/// Counts the store of an atomic instruction, where tasks are recorded.
void count_atomic_store(std::uint32_t bytes, std::uint64_t address);
/// Makes this thread known if it isn't yet. Returns false if its accesses aren't counted now.
bool counts_here(std::uint64_t address);
/// Returns false if this thread isn't known, or isn't counted now.
bool counts_already();
/// Counts a group if an access lies in two lines, if it isn't at a multiple of 4 or isn't in one
/// page, if its page isn't in its slot, or if a line is full. It begins at `from` if some have been
/// counted.
void count_group_slowly(const LineCounts* from, const Group* group, std::uint64_t origin);

/// The words of a line that an access of 1 << Log2 bytes touches, by where it begins; kFull if it
/// continues in the next line. (This is a table since a branch on where accesses begin in words is
/// often mispredicted.)
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
inline void count(std::uint64_t address) {
  const recorder::Slot& slot = recorder::slot_of(counting, address >> 12);
  const std::uint64_t in_page = address - slot.begin;
  if (__builtin_expect(in_page >= 4096, 0)) return count_slowly(1U << Log2, address, IsStore);
  recorder::Line& line = slot.block->lines[in_page / 64];
  const recorder::Line words =
      Log2 == 0 ? 1U << (in_page / 8 % 8) : kWordMasks<Log2>.of[in_page % 64];
  const recorder::Line sum = (line + (IsStore ? recorder::kOneWrite : recorder::kOneRead)) | words;
  // Its own half's sign tells, without a mask.
  const bool full =
      IsStore ? static_cast<std::int32_t>(sum) < 0 : static_cast<std::int64_t>(sum) < 0;
  if (__builtin_expect(full, 0)) return count_slowly(1U << Log2, address, IsStore);
  line = sum;
}

template <bool IsNarrow>
inline void count_group(const Group* group, std::uint64_t origin) {
  const recorder::Slot& slot = recorder::slot_of(counting, origin >> 12);
  // It is in units of 4 bytes. It is large if it is in another page or no multiple of 4.
  const std::uint64_t in_page = std::rotr(origin - slot.begin, 2);
  constexpr std::uint64_t kEnd = 1024, kLastLine = kEnd - Group::kPlaces;
  if (__builtin_expect(in_page >= kEnd, 0)) return count_group_slowly(nullptr, group, origin);
  const std::uint64_t place = in_page % Group::kPlaces;
  recorder::Line* line = slot.block->lines + in_page / Group::kPlaces;
  if (const std::uint8_t words = group->words[place]; words != 0) {
    const recorder::Line sum = (*line | words) + group->counts;
    if (__builtin_expect((sum & recorder::kFull) != 0, 0))
      return count_group_slowly(nullptr, group, origin);
    *line = sum;
  } else if (IsNarrow) {
    if (__builtin_expect(in_page >= kLastLine, 0))
      return count_group_slowly(nullptr, group, origin);
    const LinePair* pair = group->pair_at(place);
    const recorder::Line first = (line[0] | pair->words[0]) + pair->counts[0];
    const recorder::Line second = (line[1] | pair->words[1]) + pair->counts[1];
    if (__builtin_expect(((first | second) & recorder::kFull) != 0, 0))
      return count_group_slowly(nullptr, group, origin);
    line[0] = first;
    line[1] = second;
  } else {
    const LineCounts* counts = group->lines_at(place);
    if (__builtin_expect(
            group->lines[place] == 0 || in_page / Group::kPlaces + counts->farthest >= 64, 0))
      return count_group_slowly(nullptr, group, origin);
    for (;; ++counts) {
      recorder::Line& here = line[counts->line];
      const recorder::Line sum = (here | counts->words) + counts->counts;
      if (__builtin_expect((sum & recorder::kFull) != 0, 0))
        return count_group_slowly(counts, group, origin);
      here = sum;
      if (counts->last) return;
    }
  }
}

}  // namespace Atoll::trace::dbi
