// Reads the amount of memory that can still be allocated: from /proc/meminfo, the nodes' meminfo,
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
  /// `root` is the parent folder of proc and sys; tests pass a folder with their own files.
  explicit SystemMemory(std::filesystem::path root = "/");

  /// Returns the currently available memory. A system without figures for nodes counts as node 0.
  [[nodiscard]] Available available(PageSize pages) const;

 private:
  [[nodiscard]] Available in_pool(PageSize pages) const;
  [[nodiscard]] Available outside_pools() const;

  std::filesystem::path root_;
  std::map<NodeId, std::uint64_t> reserves_;  ///< bytes that the system keeps in reserve, by node
};

/// Sets the free bytes of each memory, and of all memories together.
void set_free_bytes(Machine::Data& data, const SystemMemory& system);

}  // namespace Atoll::detail
