// Memory policies and page sizes that a simulated program has requested by calls, for ranges of
// memory and for threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "atoll/recording/stream.hpp"
#include "base/range_map.hpp"
#include "simulate/model.hpp"
#include "simulate/placement.hpp"

namespace Atoll::simulate {

class MemoryCalls {
 public:
  /// `model` must outlive this.
  explicit MemoryCalls(const Model& model) : model_(&model) {}

  /// Records mbind(), madvise() for huge pages, or a mapped file that the page cache held.
  void range(std::uint64_t process, const recording::StreamPlacement& call);
  /// Forgets the requests for an unmapped range.
  void forget(std::uint64_t process, std::uint64_t begin, std::uint64_t end) {
    ranges_[process].erase(begin, end);
  }
  /// Copies the requests of a process to its forked child.
  void fork(std::uint64_t parent, std::uint64_t child) { ranges_[child] = ranges_[parent]; }
  [[nodiscard]] PagePolicy policy_of(const recording::StreamPlacement& call) const;
  /// Requests that apply at an address; null or empty if there are none.
  [[nodiscard]] const PagePolicy* policy_at(std::uint64_t process, std::uint64_t address) const;
  [[nodiscard]] std::optional<bool> huge_at(std::uint64_t process, std::uint64_t address) const;
  /// The tid of the thread that brought a page of a file into the page cache; 0 if unknown. Empty
  /// if the page wasn't in the page cache.
  [[nodiscard]] std::optional<std::uint64_t> cached_at(std::uint64_t process,
                                                       std::uint64_t address) const;
  /// Index of the memory of a node; empty if the node has none.
  [[nodiscard]] std::optional<std::uint16_t> memory_of(std::uint64_t node) const {
    return recording::position_of(model_->memories, node);
  }

 private:
  struct Range {
    PagePolicy policy;
    std::optional<bool> huge;
    std::optional<std::uint64_t> cached_by;
  };

  /// Returns the requests for the page at an address; null if there are none.
  [[nodiscard]] const Range* find(std::uint64_t process, std::uint64_t address) const {
    const auto its = ranges_.find(process);
    return its == ranges_.end() ? nullptr : its->second.value_at(address);
  }

  const Model* model_;
  std::map<std::uint64_t, RangeMap<Range>> ranges_;  ///< by process
};

}  // namespace Atoll::simulate
