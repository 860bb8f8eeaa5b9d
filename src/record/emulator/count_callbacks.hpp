// Counting in the plugin's callbacks: directly into the counters of the current thread. Slow paths
// are tail calls of the fast paths, so these needn't save registers. Sizes, kinds and groups are
// known at translation. The cost of a callback is its number of instructions, and the cache lines
// that they touch.
#pragma once

#include <bit>

#include "record/counting.hpp"
#include "record/emulator/group.hpp"

namespace Atoll::record::dbi {

/// State that this thread counts in; a state without pages while the thread isn't counted.
extern __attribute__((tls_model("initial-exec"),
                      visibility("hidden"))) thread_local constinit record::ThreadState* counting;

// The parameters of the following functions are in the same registers as those of most callbacks.
/// Counts an access if its page isn't in its slot, if it crosses lines, or if a line is full.
void count_slowly(std::uint32_t bytes, std::uint64_t address, bool is_store);
/// Counts the store of an atomic instruction if tasks are recorded.
void count_atomic_store(std::uint32_t bytes, std::uint64_t address);
/// Creates this thread's state if it has none. Returns false if its accesses aren't counted now.
bool ensure_counting(std::uint64_t address);
/// Returns false if this thread has no state, or isn't counted now.
bool is_counting();
/// Counts a group if a member crosses lines, if its origin isn't a multiple of 4, if it isn't
/// within one page, if its page isn't in its slot, or if a line is full. If `from` isn't null,
/// lines before `from` are already counted.
void count_group_slowly(const LineCounts* from, const Group* group, std::uint64_t origin);

/// Mask of the words in a line that an access of 1 << Log2 bytes touches, by the offset of its
/// first byte; kFull if it crosses lines. (A table, since a branch on the offset is often
/// mispredicted.)
template <unsigned Log2>
struct WordMasks {
  record::Line of[64] = {};
  constexpr WordMasks() {
    for (unsigned first = 0; first < 64; ++first) {
      const unsigned last = first + (1U << Log2) - 1;
      of[first] = last < 64 ? record::words_of(first, last) : record::kFull;
    }
  }
};
template <unsigned Log2>
constexpr WordMasks<Log2> kWordMasks;

template <unsigned Log2, bool IsStore>
inline void count(std::uint64_t address) {
  const record::Slot& slot = record::slot_of(counting, address >> 12);
  const std::uint64_t in_page = address - slot.begin;
  if (__builtin_expect(in_page >= 4096, 0)) return count_slowly(1U << Log2, address, IsStore);
  record::Line& line = slot.block->lines[in_page / 64];
  const record::Line words =
      Log2 == 0 ? 1U << (in_page / 8 % 8) : kWordMasks<Log2>.of[in_page % 64];
  const record::Line sum = (line + (IsStore ? record::kOneWrite : record::kOneRead)) | words;
  // The sign bit of the incremented half marks a full line, so no mask is needed.
  const bool full =
      IsStore ? static_cast<std::int32_t>(sum) < 0 : static_cast<std::int64_t>(sum) < 0;
  if (__builtin_expect(full, 0)) return count_slowly(1U << Log2, address, IsStore);
  line = sum;
}

template <bool IsNarrow>
inline void count_group(const Group* group, std::uint64_t origin) {
  const record::Slot& slot = record::slot_of(counting, origin >> 12);
  // Offset in units of 4 bytes. The rotation makes it large unless origin is in the page and a
  // multiple of 4.
  const std::uint64_t in_page = std::rotr(origin - slot.begin, 2);
  constexpr std::uint64_t kEnd = 1024, kLastLine = kEnd - Group::kPlaces;
  if (__builtin_expect(in_page >= kEnd, 0)) return count_group_slowly(nullptr, group, origin);
  const std::uint64_t place = in_page % Group::kPlaces;
  record::Line* line = slot.block->lines + in_page / Group::kPlaces;
  if (const std::uint8_t words = group->words[place]; words != 0) {
    const record::Line sum = (*line | words) + group->counts;
    if (__builtin_expect((sum & record::kFull) != 0, 0))
      return count_group_slowly(nullptr, group, origin);
    *line = sum;
  } else if (IsNarrow) {
    if (__builtin_expect(in_page >= kLastLine, 0))
      return count_group_slowly(nullptr, group, origin);
    const LinePair* pair = group->pair_at(place);
    const record::Line first = (line[0] | pair->words[0]) + pair->counts[0];
    const record::Line second = (line[1] | pair->words[1]) + pair->counts[1];
    if (__builtin_expect(((first | second) & record::kFull) != 0, 0))
      return count_group_slowly(nullptr, group, origin);
    line[0] = first;
    line[1] = second;
  } else {
    const LineCounts* counts = group->lines_at(place);
    if (__builtin_expect(
            group->lines[place] == 0 || in_page / Group::kPlaces + counts->farthest >= 64, 0))
      return count_group_slowly(nullptr, group, origin);
    for (;; ++counts) {
      record::Line& here = line[counts->line];
      const record::Line sum = (here | counts->words) + counts->counts;
      if (__builtin_expect((sum & record::kFull) != 0, 0))
        return count_group_slowly(counts, group, origin);
      here = sum;
      if (counts->last) return;
    }
  }
}

}  // namespace Atoll::record::dbi
