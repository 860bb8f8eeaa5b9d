#include "record/inside/policies/policy_records.hpp"

#include <string.h>
#include <sys/syscall.h>

#include "atoll/base/page_size.hpp"
#include "marks/preloaded.hpp"
#include "record/waits.hpp"

namespace Atoll::record::inside {
namespace {

using record::RecordKind;
static_assert(kMaskOfCall + 3 <= record::kMaxPlacementWords);

/// The kernel ignores the last bit of a mask's stated length, and reads whole words.
std::size_t bits_of_mask(unsigned long bits) {
  return bits < 2 ? 0 : (bits - 1 + 63) / 64 * 64;
}

void record_range_policy(std::uint64_t address, std::uint64_t bytes, long mode,
                         const unsigned long* nodes, unsigned long bits, unsigned long flags) {
  std::uint64_t words[3 + kMaskOfCall] = {
      address, bytes, (static_cast<std::uint64_t>(mode) & 0xffff'ffffU) | flags << 32};
  record_placement_call(RecordKind::policy_of_range, words,
                        3 + copy_mask(words + 3, nodes, bits_of_mask(bits)));
}

void record_thread_policy(long mode, const unsigned long* nodes, unsigned long bits) {
  std::uint64_t words[1 + kMaskOfCall] = {static_cast<std::uint64_t>(mode)};
  record_placement_call(RecordKind::policy_of_thread, words,
                        1 + copy_mask(words + 1, nodes, bits_of_mask(bits)));
}

void record_move(std::size_t count, void* const* pages, const int* nodes, const int* status) {
  std::uint64_t words[3] = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (status != nullptr && status[i] < 0) continue;
    const std::uint64_t page = reinterpret_cast<std::uintptr_t>(pages[i]) / kPageBytes * kPageBytes;
    const auto node = static_cast<std::uint64_t>(nodes[i]);
    if (words[1] != 0 && words[0] + words[1] == page && words[2] == node) {
      words[1] += kPageBytes;
      continue;
    }
    if (words[1] != 0) record_placement_call(RecordKind::pages_moved, words, 3);
    words[0] = page;
    words[1] = kPageBytes;
    words[2] = node;
  }
  if (words[1] != 0) record_placement_call(RecordKind::pages_moved, words, 3);
}

}  // namespace

void record_placement_call(RecordKind kind, const std::uint64_t* words, std::size_t count) {
  if (atoll_tell_placement != nullptr)
    atoll_tell_placement(static_cast<std::uint32_t>(kind), words, count);
}

std::size_t copy_mask(std::uint64_t* to, const void* mask, std::size_t bits) {
  if (mask == nullptr) return 0;
  const std::size_t bytes = bits / 8 < kMaskOfCall * 8 ? (bits + 7) / 8 : kMaskOfCall * 8;
  ::memset(to, 0, kMaskOfCall * 8);
  ::memcpy(to, mask, bytes);
  std::size_t words = kMaskOfCall;
  while (words != 0 && to[words - 1] == 0) --words;
  return words;
}

void record_policy_call(long number, const long (&a)[6],
                        long (*ask)(long number, const long (&arguments)[6])) {
  switch (number) {
    case SYS_mbind:
      return record_range_policy(static_cast<std::uint64_t>(a[0]), static_cast<std::uint64_t>(a[1]),
                                 a[2], reinterpret_cast<const unsigned long*>(a[3]),
                                 static_cast<unsigned long>(a[4]),
                                 static_cast<unsigned long>(a[5]));
    case SYS_set_mempolicy:
      return record_thread_policy(a[0], reinterpret_cast<const unsigned long*>(a[1]),
                                  static_cast<unsigned long>(a[2]));
    case SYS_move_pages:
      if (a[3] == 0) return;
      record_move(static_cast<std::size_t>(a[1]), reinterpret_cast<void* const*>(a[2]),
                  reinterpret_cast<const int*>(a[3]), reinterpret_cast<const int*>(a[4]));
      // A simulator moves its pages when the call is reported, so the status is queried again.
      if (a[4] != 0) {
        const long question[6] = {a[0], a[1], a[2], 0, a[4], a[5]};
        (void)ask(number, question);
      }
      return;
    default:
      return;
  }
}

}  // namespace Atoll::record::inside
