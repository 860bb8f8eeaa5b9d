// Uses direct system calls, because Atoll can be built without libnuma.
#include "apply/memory_policy.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/plan/layout.hpp"
#include "process/seccomp.hpp"

namespace Atoll::apply {
namespace {

constexpr std::size_t kMaxNodes = 1024;         // maximum of all kernel configurations
constexpr unsigned long kBits = kMaxNodes + 1;  // the kernel uses one bit less

void print_refusal(int error) {
  note(fmt::format(
      "the program runs without the memory policy: the system refuses NUMA calls ({}){}",
      std::generic_category().message(error), process::seccomp_hint("set_mempolicy", "SYS_NICE")));
}

}  // namespace

MemoryPolicy::MemoryPolicy(Kind kind, const std::vector<NodeId>& nodes) : before_(kMaxNodes / 64) {
  if (::syscall(SYS_get_mempolicy, &mode_before_, before_.data(), kBits, nullptr, 0) != 0) {
    print_refusal(errno);
    return;
  }
  std::vector<unsigned long> mask(kMaxNodes / 64);
  for (const NodeId node : nodes)
    if (node.value < kMaxNodes) mask[node.value / 64] |= 1UL << (node.value % 64);
  const int mode = kind == Kind::interleave ? MPOL_INTERLEAVE
                   : kind == Kind::prefer   ? MPOL_PREFERRED
                                            : MPOL_DEFAULT;
  const bool with_nodes = kind != Kind::system;
  is_set_ = ::syscall(SYS_set_mempolicy, mode, with_nodes ? mask.data() : nullptr,
                      with_nodes ? kBits : 0) == 0;
  if (is_set_) return;
  if (errno != EPERM && errno != ENOSYS)
    throw Error::system("nodes " + to_string(nodes), "setting the memory policy", errno,
                        "a container may forbid these nodes (Mems_allowed_list in "
                        "/proc/self/status)");
  print_refusal(errno);
}

MemoryPolicy::~MemoryPolicy() {
  if (is_set_) (void)::syscall(SYS_set_mempolicy, mode_before_, before_.data(), kBits);
}

}  // namespace Atoll::apply
