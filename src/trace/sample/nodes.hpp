// The nodes of this computer, as the migrator needs them: whose processors, how much free memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace Atoll::trace::sample {

/// "0-3,8" as numbers; nothing that can't be read.
[[nodiscard]] std::vector<int> numbers_of_list(std::string_view list);

class Nodes {
 public:
  /// `root`: as /sys/devices/system/node.
  explicit Nodes(std::filesystem::path root = "/sys/devices/system/node");

  /// The system's numbers of nodes lie below this.
  [[nodiscard]] int end() const { return end_; }
  /// How many have memory.
  [[nodiscard]] int count() const { return count_; }
  /// The node of a processing unit; -1: unknown.
  [[nodiscard]] int of_unit(std::uint32_t cpu) const {
    return cpu < of_unit_.size() ? of_unit_[cpu] : -1;
  }
  /// Pages that may be moved to each node now, by number: what is free but a reserve, as the system
  /// and the program's next allocations need it.
  [[nodiscard]] std::vector<std::uint64_t> room() const;

 private:
  std::filesystem::path root_;
  int end_ = 0, count_ = 0;
  std::vector<int> of_unit_;
};

}  // namespace Atoll::trace::sample
