// The nodes of this computer as the migrator needs them: their processors and their free memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "machine/system_memory.hpp"

namespace Atoll::trace::sample {

/// Returns the numbers of "0-3,8"; none if it can't be read.
[[nodiscard]] std::vector<int> numbers_of_list(std::string_view list);

class Nodes {
 public:
  /// `root` is where proc and sys are mounted; tests put files of their own there.
  explicit Nodes(const std::filesystem::path& root = "/");

  /// Returns a number above all of the system's numbers of nodes.
  [[nodiscard]] int end() const { return end_; }
  /// Returns how many nodes have memory.
  [[nodiscard]] int count() const { return count_; }
  /// Returns the node of a processing unit; -1 if unknown.
  [[nodiscard]] int of_unit(std::uint32_t cpu) const {
    return cpu < of_unit_.size() ? of_unit_[cpu] : -1;
  }
  /// Returns how many pages may be moved to each node now, by number: what the node can still give,
  /// less a reserve for the program's next allocations.
  [[nodiscard]] std::vector<std::uint64_t> room() const;

 private:
  std::filesystem::path root_;  ///< of the nodes
  detail::SystemMemory memory_;
  int end_ = 0, count_ = 0;
  std::vector<int> of_unit_;
};

}  // namespace Atoll::trace::sample
