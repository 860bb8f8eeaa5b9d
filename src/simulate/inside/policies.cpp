// System calls for memory policies, and those that report processing units. Real memory stays on
// this computer's node. These calls only succeed, and the simulator, which receives a record of
// each, places the simulated pages. The simulator answers queries for the nodes of pages.
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

#include "atoll/base/page_size.hpp"
#include "marks/preloaded.hpp"
#include "record/stream_words.hpp"
#include "simulate/inside/shown.hpp"

using namespace Atoll::simulate::inside;
using Atoll::kPageBytes;

namespace {

constinit Next<long (*)(long, ...)> next_syscall{"syscall"};

constexpr std::size_t kMaskWords = kMaxNodes / 64;
constexpr unsigned long kWeightedInterleave = 6, kPreferredMany = 5;

long refuse(int error) {
  errno = error;
  return -1;
}

/// Size of a mask: the kernel reads one bit less than the given number, in whole 8-byte words.
std::size_t bytes_of_mask(unsigned long bits) {
  return bits < 2 ? 0 : (bits - 1 + 63) / 64 * 8;
}

/// Reads a policy. Returns false if it is invalid or names a node that isn't shown.
bool read(NodePolicy& policy, long mode, const void* mask, unsigned long bits) {
  policy = {static_cast<unsigned long>(mode) & 0xffU, {}};
  if (policy.mode > kWeightedInterleave) return false;
  const bool needs_none = policy.mode == MPOL_DEFAULT || policy.mode == MPOL_PREFERRED ||
                          policy.mode == MPOL_LOCAL || policy.mode == kPreferredMany;
  if (mask == nullptr) return needs_none;
  const std::size_t bytes = bytes_of_mask(bits);
  ::memcpy(policy.nodes, mask, bytes < sizeof policy.nodes ? bytes : sizeof policy.nodes);
  bool any = false;
  for (unsigned node = 0; node < kMaxNodes; ++node)
    if ((policy.nodes[node / 64] >> node % 64 & 1) != 0) {
      if (!is_shown_node(node)) return false;
      any = true;
    }
  return any || needs_none;
}

void write(const std::uint64_t* nodes, void* mask, unsigned long bits) {
  if (mask == nullptr) return;
  const std::size_t bytes = bytes_of_mask(bits);
  ::memset(mask, 0, bytes);
  ::memcpy(mask, nodes, bytes < kMaskWords * 8 ? bytes : kMaskWords * 8);
}

int present_node() {
  return static_cast<int>(view()->node_of_pu[present_pu()]);
}

/// Returns the node of a page. Maps the page first if it is unmapped, as Linux does.
int node_of(std::uint64_t address) {
  const std::uint64_t page = address / kPageBytes * kPageBytes;
  const std::uint64_t words[] = {page, kPageBytes, 0};
  if (atoll_tell_placement != nullptr)
    atoll_tell_placement(static_cast<std::uint32_t>(Atoll::record::RecordKind::pages_populated),
                         words, 3);
  const std::int16_t* const found = ask(Question::nodes, page, kPageBytes);
  if (found == nullptr) return present_node();
  return *found < 0 ? 0 : *found;  // the kernel's zero page is on node 0
}

/// Finds the nodes of pages. Contiguous pages take one query.
void find_nodes(unsigned long count, void* const* pages, int* status) {
  const auto page = [&](unsigned long i) {
    return reinterpret_cast<std::uintptr_t>(pages[i]) / kPageBytes * kPageBytes;
  };
  for (unsigned long i = 0; i < count;) {
    unsigned long more = 1;
    while (i + more < count && more < kAnswers && page(i + more) == page(i) + more * kPageBytes)
      ++more;
    const std::int16_t* const found = ask(Question::nodes, page(i), more * kPageBytes);
    for (unsigned long k = 0; k < more; ++k)
      status[i + k] = found == nullptr ? present_node() : found[k];
    i += more;
  }
}

long get_policy(int* mode, void* mask, unsigned long bits, std::uint64_t address,
                unsigned long flags) {
  if ((flags & MPOL_F_MEMS_ALLOWED) != 0) {
    write(view()->shown_nodes, mask, bits);
    return 0;
  }
  const bool of_address = (flags & MPOL_F_ADDR) != 0;
  if ((flags & MPOL_F_NODE) != 0) {
    if (mode != nullptr) *mode = of_address ? node_of(address) : present_node();
    return 0;
  }
  NodePolicy policy = state_of(own_row()).policy;
  const std::int16_t* const found = of_address ? ask(Question::policy, address, 1) : nullptr;
  if (found != nullptr) {
    policy = {static_cast<std::uint64_t>(found[0]), {}};
    for (int i = 0; i < found[1]; ++i)
      policy.nodes[found[2 + i] / 64] |= std::uint64_t{1} << found[2 + i] % 64;
  }
  if (mode != nullptr) *mode = static_cast<int>(policy.mode);
  write(policy.nodes, mask, bits);
  return 0;
}

/// Returns the results of move_pages(). The simulator moves the pages when it receives the record
/// of the call.
long move(unsigned long count, const int* nodes, int* status) {
  for (unsigned long i = 0; i < count; ++i) {
    const bool is_there = nodes[i] >= 0 && is_shown_node(static_cast<unsigned>(nodes[i]));
    if (status != nullptr) status[i] = is_there ? nodes[i] : -ENODEV;
  }
  return 0;
}

}  // namespace

ATOLL_INTERPOSE long syscall(long number, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  const bool is_ours = number == SYS_mbind || number == SYS_set_mempolicy ||
                       number == SYS_get_mempolicy || number == SYS_move_pages ||
                       number == SYS_migrate_pages || number == SYS_getcpu ||
                       number == SYS_sched_getaffinity || number == SYS_sched_setaffinity;
  if (!is_ours || view() == nullptr)
    return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const auto count = static_cast<unsigned long>(a[2]);
  NodePolicy policy;
  switch (number) {
    case SYS_mbind:
      if (!read(policy, a[2], reinterpret_cast<const void*>(a[3]),
                static_cast<unsigned long>(a[4])))
        return refuse(EINVAL);
      return 0;
    case SYS_set_mempolicy:
      if (!read(policy, a[0], reinterpret_cast<const void*>(a[1]), count)) return refuse(EINVAL);
      if (ThreadRow* const row = own_row(); row != nullptr) row->state.policy = policy;
      return 0;
    case SYS_get_mempolicy:
      return get_policy(reinterpret_cast<int*>(a[0]), reinterpret_cast<void*>(a[1]), count,
                        static_cast<std::uint64_t>(a[3]), static_cast<unsigned long>(a[4]));
    case SYS_move_pages:
      if (a[3] != 0)
        return move(static_cast<unsigned long>(a[1]), reinterpret_cast<const int*>(a[3]),
                    reinterpret_cast<int*>(a[4]));
      find_nodes(static_cast<unsigned long>(a[1]), reinterpret_cast<void* const*>(a[2]),
                 reinterpret_cast<int*>(a[4]));
      return 0;
    case SYS_getcpu: {
      const unsigned pu = present_pu();
      if (a[0] != 0) *reinterpret_cast<unsigned*>(a[0]) = pu;
      if (a[1] != 0) *reinterpret_cast<unsigned*>(a[1]) = view()->node_of_pu[pu];
      return 0;
    }
    case SYS_sched_getaffinity:
      return static_cast<long>(copy_affinity(row_of(static_cast<int>(a[0])),
                                             reinterpret_cast<void*>(a[2]),
                                             static_cast<std::size_t>(a[1])));
    case SYS_sched_setaffinity:
      return set_affinity(row_of(static_cast<int>(a[0])), reinterpret_cast<const void*>(a[2]),
                          static_cast<std::size_t>(a[1]))
                 ? 0
                 : refuse(EINVAL);
    default:
      return 0;
  }
}
