// The system calls that ask for nodes, and those that name processing units. Memory lies on this
// computer's node, whatever the program asks for; here the calls succeed, and the simulator, which
// is told of them, puts the simulated pages there.
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

#include "simulate/inside/shown.hpp"

using namespace Atoll::simulate::inside;

namespace {

constinit Next<long (*)(long, ...)> next_syscall{"syscall"};

constexpr std::size_t kMaskWords = kMaxNodes / 64;
constexpr unsigned long kWeightedInterleave = 6, kPreferredMany = 5;
constexpr std::uint64_t kPage = 4096;

struct Policy {
  unsigned long mode;
  std::uint64_t nodes[kMaskWords];
};
thread_local constinit Policy of_thread = {MPOL_DEFAULT, {}};

/// What was asked of ranges, the last one first to be looked at.
struct Range {
  std::uint64_t begin, end;
  Policy policy;
};
constexpr std::size_t kRanges = 1024;
Range ranges[kRanges];
std::atomic<std::size_t> range_count{0};

long refuse(int error) {
  errno = error;
  return -1;
}

/// Reads a mask; false: it names a node that isn't shown.
bool read(Policy& policy, long mode, const void* mask, unsigned long bits) {
  policy = {static_cast<unsigned long>(mode) & 0xffU, {}};
  if (mask == nullptr) return true;
  const std::size_t bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
  ::memcpy(policy.nodes, mask, bytes < sizeof policy.nodes ? bytes : sizeof policy.nodes);
  bool any = false;
  for (unsigned node = 0; node < kMaxNodes; ++node)
    if ((policy.nodes[node / 64] >> node % 64 & 1) != 0) {
      if (!is_shown_node(node)) return false;
      any = true;
    }
  return any || policy.mode == MPOL_DEFAULT || policy.mode == MPOL_PREFERRED ||
         policy.mode == MPOL_LOCAL || policy.mode == kPreferredMany;
}

void write(const std::uint64_t* nodes, void* mask, unsigned long bits) {
  if (mask == nullptr) return;
  const std::size_t bytes = bits / 8;
  ::memset(mask, 0, bytes);
  ::memcpy(mask, nodes, bytes < kMaskWords * 8 ? bytes : kMaskWords * 8);
}

const Policy& policy_of(std::uint64_t address, std::uint64_t& origin) {
  origin = 0;
  for (std::size_t i = range_count.load(std::memory_order_acquire); i > 0; --i)
    if (const Range& range = ranges[i - 1]; address >= range.begin && address < range.end) {
      origin = range.begin;
      return range.policy;
    }
  return of_thread;
}

void keep(std::uint64_t begin, std::uint64_t bytes, const Policy& policy) {
  const std::size_t at = range_count.load();
  if (at == kRanges) return;
  ranges[at] = {begin, begin + bytes, policy};
  range_count.store(at + 1, std::memory_order_release);
}

/// The node that the calls so far would have a page on.
int node_of(std::uint64_t address) {
  std::uint64_t origin = 0;
  const Policy& policy = policy_of(address, origin);
  unsigned count = 0;
  for (unsigned node = 0; node < kMaxNodes; ++node)
    count += static_cast<unsigned>(policy.nodes[node / 64] >> node % 64 & 1);
  const bool in_turn = policy.mode == MPOL_INTERLEAVE || policy.mode == kWeightedInterleave;
  if (count == 0 || policy.mode == MPOL_DEFAULT || policy.mode == MPOL_LOCAL)
    return static_cast<int>(view()->node_of_pu[present_pu()]);
  unsigned wanted = in_turn ? static_cast<unsigned>((address - origin) / kPage % count) : 0;
  for (unsigned node = 0; node < kMaxNodes; ++node)
    if ((policy.nodes[node / 64] >> node % 64 & 1) != 0 && wanted-- == 0)
      return static_cast<int>(node);
  return 0;
}

long get_policy(int* mode, void* mask, unsigned long bits, std::uint64_t address,
                unsigned long flags) {
  if ((flags & MPOL_F_MEMS_ALLOWED) != 0) {
    write(view()->shown_nodes, mask, bits);
    return 0;
  }
  const bool of_address = (flags & MPOL_F_ADDR) != 0;
  if ((flags & MPOL_F_NODE) != 0) {
    if (mode != nullptr)
      *mode = of_address ? node_of(address) : static_cast<int>(view()->node_of_pu[present_pu()]);
    return 0;
  }
  std::uint64_t origin = 0;
  const Policy& policy = of_address ? policy_of(address, origin) : of_thread;
  if (mode != nullptr) *mode = static_cast<int>(policy.mode);
  write(policy.nodes, mask, bits);
  return 0;
}

long move(unsigned long count, void* const* pages, const int* nodes, int* status) {
  for (unsigned long i = 0; i < count; ++i) {
    const auto page = reinterpret_cast<std::uintptr_t>(pages[i]) / kPage * kPage;
    if (nodes == nullptr) {
      status[i] = node_of(page);
      continue;
    }
    if (nodes[i] < 0 || !is_shown_node(static_cast<unsigned>(nodes[i]))) {
      if (status != nullptr) status[i] = -ENODEV;
      continue;
    }
    Policy policy = {MPOL_BIND, {}};
    policy.nodes[nodes[i] / 64] = std::uint64_t{1} << nodes[i] % 64;
    keep(page, kPage, policy);
    if (status != nullptr) status[i] = nodes[i];
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
  Policy policy;
  switch (number) {
    case SYS_mbind:
      if (!read(policy, a[2], reinterpret_cast<const void*>(a[3]),
                static_cast<unsigned long>(a[4])))
        return refuse(EINVAL);
      keep(static_cast<std::uint64_t>(a[0]), static_cast<std::uint64_t>(a[1]), policy);
      return 0;
    case SYS_set_mempolicy:
      if (!read(policy, a[0], reinterpret_cast<const void*>(a[1]), count)) return refuse(EINVAL);
      of_thread = policy;
      return 0;
    case SYS_get_mempolicy:
      return get_policy(reinterpret_cast<int*>(a[0]), reinterpret_cast<void*>(a[1]), count,
                        static_cast<std::uint64_t>(a[3]), static_cast<unsigned long>(a[4]));
    case SYS_move_pages:
      return move(static_cast<unsigned long>(a[1]), reinterpret_cast<void* const*>(a[2]),
                  reinterpret_cast<const int*>(a[3]), reinterpret_cast<int*>(a[4]));
    case SYS_getcpu: {
      const unsigned pu = present_pu();
      if (a[0] != 0) *reinterpret_cast<unsigned*>(a[0]) = pu;
      if (a[1] != 0) *reinterpret_cast<unsigned*>(a[1]) = view()->node_of_pu[pu];
      return 0;
    }
    case SYS_sched_getaffinity:
      return static_cast<long>(copy_affinity(static_cast<int>(a[0]), reinterpret_cast<void*>(a[2]),
                                             static_cast<std::size_t>(a[1])));
    case SYS_sched_setaffinity:
      return set_affinity(static_cast<int>(a[0]), reinterpret_cast<const void*>(a[2]),
                          static_cast<std::size_t>(a[1]))
                 ? 0
                 : refuse(EINVAL);
    default:
      return 0;
  }
}
