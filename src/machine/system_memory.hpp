// Reads how much memory may still be taken on this system: from /proc/meminfo, the nodes' shares,
// and the limits of the memory cgroups (versions 1 and 2) from this process's cgroup up to the
// root.
#pragma once

#include <filesystem>
#include <map>

#include "atoll/machine/available.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/machine/page_size.hpp"

namespace Atoll::detail {

class SystemMemory {
 public:
  /// `root` is where proc and sys are mounted; tests put files of their own there.
  explicit SystemMemory(std::filesystem::path root = "/");

  /// What is available now. A system without figures of its nodes counts as node 0 alone.
  [[nodiscard]] Available available(PageSize pages) const;

 private:
  [[nodiscard]] Available in_pool(PageSize pages) const;
  [[nodiscard]] Available in_pages_at_large() const;

  std::filesystem::path root_;
  std::map<NodeId, std::uint64_t>
      reserves_;  ///< bytes that the system keeps free for itself, by node
};

/// Sets what each of the memories, and all of them together, can still give.
void tell_free(Machine::Data& data, const SystemMemory& system);

}  // namespace Atoll::detail
