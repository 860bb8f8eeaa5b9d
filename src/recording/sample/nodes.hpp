// Nodes of this computer, for the migrator: their processing units and their free memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "machine/system_memory.hpp"

namespace Atoll::recording::sample {

class Nodes {
 public:
  /// `root` is the folder that contains proc and sys; tests use other folders.
  explicit Nodes(const std::filesystem::path& root = "/");

  /// Returns a number greater than the number of every node.
  [[nodiscard]] int end() const { return end_; }
  /// Returns the number of nodes with memory.
  [[nodiscard]] int count() const { return count_; }
  /// Returns the node of a processing unit; -1 if unknown.
  [[nodiscard]] int of_unit(std::uint32_t cpu) const {
    return cpu < of_unit_.size() ? of_unit_[cpu] : -1;
  }
  /// Returns the number of pages that may be moved to each node now, by node number: the node's
  /// available memory less a reserve for the program's next allocations.
  [[nodiscard]] std::vector<std::uint64_t> room() const;

 private:
  std::filesystem::path root_;  ///< folder of the nodes
  detail::SystemMemory memory_;
  int end_ = 0, count_ = 0;
  std::vector<int> of_unit_;
};

}  // namespace Atoll::recording::sample
