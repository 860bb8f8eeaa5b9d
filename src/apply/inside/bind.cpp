// Uses direct system calls: the program may have its own libnuma, and libc's functions are
// interposed. src/memory/linux_backend.cpp describes each policy's behaviour when a node is full.
#include "apply/inside/bind.hpp"

#include <linux/mempolicy.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apply/inside/pieces.hpp"
#include "apply/inside/table_access.hpp"
#include "atoll/base/page_size.hpp"
#include "process/inside/system.hpp"

namespace Atoll::apply::inside {
namespace {

constexpr int kPreferredMany = 5;        // MPOL_PREFERRED_MANY, missing from older headers
constexpr int kPopulateForWriting = 23;  // MADV_POPULATE_WRITE, likewise

struct Nodes {
  unsigned long words[kMaxNodes / 64] = {};
  void add(std::uint32_t node) {
    if (node < kMaxNodes) words[node / 64] |= 1UL << (node % 64);
  }
};

class Pages {
 public:
  Pages(Target& target, bool move) : target_(target), flags_(move ? MPOL_MF_MOVE : 0) {}

  void bind(std::uintptr_t begin, std::uintptr_t end, int mode, const Nodes& nodes) {
    if (begin >= end) return;
    // The kernel uses one bit less than the given number.
    if (::syscall(SYS_mbind, begin, end - begin, mode, nodes.words, kMaxNodes + 1, flags_) != 0)
      target_.failures.fetch_add(1, std::memory_order_relaxed);
  }
  void prefer(std::uintptr_t begin, std::uintptr_t end, std::uint32_t node) {
    if (begin >= end) return;
    Nodes nodes;
    nodes.add(node);
    if (::syscall(SYS_mbind, begin, end - begin, kPreferredMany, nodes.words, kMaxNodes + 1,
                  flags_) != 0)
      bind(begin, end, MPOL_PREFERRED, nodes);  // before Linux 5.15
  }

 private:
  Target& target_;
  unsigned flags_;
};

}  // namespace

void bind_pages(Target& target, Level level, std::uintptr_t address, std::size_t bytes,
                Resident resident) {
  const process::inside::KeepErrno keep;
  const std::uintptr_t begin = address / kPageBytes * kPageBytes;
  const std::uintptr_t end = (address + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uint64_t pages = (end - begin) / kPageBytes;
  target.matched[static_cast<std::size_t>(level)].fetch_add(1, std::memory_order_relaxed);
  target.bytes.fetch_add(bytes, std::memory_order_relaxed);
  // If the system has no huge pages, both calls fail, which is harmless.
  ::syscall(SYS_madvise, begin, end - begin, target.huge != 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);

  if (resident == Resident::zeros &&
      ::syscall(SYS_madvise, begin, end - begin, MADV_DONTNEED) != 0)  // fails for locked pages
    resident = Resident::data;

  Pages placer(target, resident == Resident::data);
  const auto address_of = [&](std::uint64_t page) { return begin + page * kPageBytes; };
  if (target.rule == Rule::interleave) {
    const auto* nodes = at<std::uint32_t>(target.list);
    Nodes all;
    for (std::uint32_t i = 0; i < target.count; ++i) all.add(nodes[i]);
    placer.bind(begin, end, MPOL_INTERLEAVE, all);
  } else {
    for_each_piece(target, at<std::byte>(target.list), pages,
                   [&](std::uint64_t from, std::uint64_t until, std::uint32_t node) {
                     if (node != kNothing) placer.prefer(address_of(from), address_of(until), node);
                   });
  }
  // If it fails (before Linux 5.14), pages are allocated at first touch.
  if (resident == Resident::zeros) ::syscall(SYS_madvise, begin, end - begin, kPopulateForWriting);
}

void bind_thread(std::int32_t tid, const Units& units) {
  const process::inside::KeepErrno keep;
  if (::syscall(SYS_sched_setaffinity, tid, sizeof units, &units) != 0)
    table()->bindings_failed.fetch_add(1, std::memory_order_relaxed);
}

bool units_of_thread(std::int32_t tid, Units& units) {
  const process::inside::KeepErrno keep;
  units = {};
  return ::syscall(SYS_sched_getaffinity, tid, sizeof units, &units) > 0;
}

bool operator==(const Units& a, const Units& b) {
  return ::memcmp(&a, &b, sizeof a) == 0;
}

bool is_empty(const Units& units) {
  return units == Units{};
}

}  // namespace Atoll::apply::inside
