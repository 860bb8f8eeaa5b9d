#include "trace/inside/waits/placement.hpp"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "trace/inside/waits/interpose.hpp"
#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace::inside::waits {
namespace {

using recorder::RecordKind;
constexpr std::size_t kMask = 16;  ///< words: nodes or processing units that can be named
static_assert(kMask + 3 <= recorder::kMaxPlacementWords);

void tell(RecordKind kind, const std::uint64_t* words, std::size_t count) {
  if (atoll_tell_placement != nullptr)
    atoll_tell_placement(static_cast<std::uint32_t>(kind), words, count);
}

/// Copies a mask behind the words, without the zeros at its end; returns how many words that are.
std::size_t copy_mask(std::uint64_t* to, const void* mask, std::size_t bits) {
  if (mask == nullptr) return 0;
  const std::size_t bytes = bits / 8 < kMask * 8 ? (bits + 7) / 8 : kMask * 8;
  ::memset(to, 0, kMask * 8);
  ::memcpy(to, mask, bytes);
  std::size_t words = kMask;
  while (words != 0 && to[words - 1] == 0) --words;
  return words;
}

}  // namespace

void told_range_policy(std::uint64_t address, std::uint64_t bytes, long mode,
                       const unsigned long* nodes, unsigned long bits) {
  std::uint64_t words[3 + kMask] = {address, bytes, static_cast<std::uint64_t>(mode)};
  tell(RecordKind::policy_of_range, words, 3 + copy_mask(words + 3, nodes, bits));
}

void told_thread_policy(long mode, const unsigned long* nodes, unsigned long bits) {
  std::uint64_t words[1 + kMask] = {static_cast<std::uint64_t>(mode)};
  tell(RecordKind::policy_of_thread, words, 1 + copy_mask(words + 1, nodes, bits));
}

void told_move(std::size_t count, void* const* pages, const int* nodes, const int* status) {
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t words[3] = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (status != nullptr && status[i] < 0) continue;
    const std::uint64_t page = key_of(pages[i]) / kPage * kPage;
    const auto node = static_cast<std::uint64_t>(nodes[i]);
    if (words[1] != 0 && words[0] + words[1] == page && words[2] == node) {
      words[1] += kPage;
      continue;
    }
    if (words[1] != 0) tell(RecordKind::pages_moved, words, 3);
    words[0] = page;
    words[1] = kPage;
    words[2] = node;
  }
  if (words[1] != 0) tell(RecordKind::pages_moved, words, 3);
}

void told_binding(std::uint64_t thread, const void* pus, std::size_t bytes) {
  std::uint64_t words[1 + kMask] = {thread};
  tell(RecordKind::bound, words, 1 + copy_mask(words + 1, pus, bytes * 8));
}

}  // namespace Atoll::trace::inside::waits

using namespace Atoll::trace::inside::waits;

namespace {

ATOLL_NEXT(madvise);
ATOLL_NEXT(sched_setaffinity);
ATOLL_NEXT(pthread_setaffinity_np);

}  // namespace

ATOLL_INTERPOSE int madvise(void* address, std::size_t bytes, int advice) noexcept {
  const int result = next_madvise(address, bytes, advice);
  if (result == 0 && (advice == MADV_HUGEPAGE || advice == MADV_NOHUGEPAGE)) {
    const std::uint64_t words[3] = {key_of(address), bytes, advice == MADV_HUGEPAGE ? 1U : 0U};
    if (atoll_tell_placement != nullptr)
      atoll_tell_placement(
          static_cast<std::uint32_t>(Atoll::trace::recorder::RecordKind::huge_pages), words, 3);
  }
  return result;
}

ATOLL_INTERPOSE int sched_setaffinity(pid_t tid, std::size_t bytes, const cpu_set_t* pus) noexcept {
  const int result = next_sched_setaffinity(tid, bytes, pus);
  if (result == 0) told_binding(static_cast<std::uint64_t>(tid), pus, bytes);
  return result;
}

ATOLL_INTERPOSE int pthread_setaffinity_np(pthread_t thread, std::size_t bytes,
                                           const cpu_set_t* pus) noexcept {
  const int error = next_pthread_setaffinity_np(thread, bytes, pus);
  if (error == 0)
    told_binding(::pthread_equal(thread, ::pthread_self()) != 0 ? 0 : thread, pus, bytes);
  return error;
}
