// What calls of a simulated program ask for: where ranges of memory, and what threads touch first,
// are to lie.
#pragma once

#include <cstdint>
#include <optional>

#include "atoll/trace/stream.hpp"
#include "simulate/model.hpp"
#include "simulate/placement.hpp"
#include "trace/address_ranges.hpp"

namespace Atoll::simulate {

class MemoryCalls {
 public:
  /// `model` must outlive this.
  explicit MemoryCalls(const Model& model) : model_(&model) {}

  /// mbind, madvise about huge pages, or a file that the page cache had when it was mapped.
  void range(std::uint64_t process, const trace::StreamPlacement& call);
  /// The range was unmapped: nothing is asked for there any more.
  void forget(std::uint64_t process, std::uint64_t begin, std::uint64_t end) {
    ranges_.erase(process, begin, end);
  }
  /// A process was forked from another one, and has what that asked for.
  void fork(std::uint64_t parent, std::uint64_t child) { ranges_.fork(parent, child); }
  [[nodiscard]] Asked policy_of(const trace::StreamPlacement& call) const;
  /// What holds at an address; null, nothing: nothing was asked for.
  [[nodiscard]] const Asked* policy_at(std::uint64_t process, std::uint64_t address) const;
  [[nodiscard]] std::optional<bool> huge_at(std::uint64_t process, std::uint64_t address) const;
  /// The thread that the page cache has a page of a file from: its tid, or 0 if that is unknown.
  /// Nothing: the page cache had no such page.
  [[nodiscard]] std::optional<std::uint64_t> cached_at(std::uint64_t process,
                                                       std::uint64_t address) const;
  /// The memory of a node; nothing: there is none.
  [[nodiscard]] std::optional<std::uint16_t> memory_of(std::uint64_t node) const {
    return trace::position_of(model_->memories, node);
  }

 private:
  struct Range {
    Asked policy;
    std::optional<bool> huge;
    std::optional<std::uint64_t> cached_by;
  };

  const Model* model_;
  trace::AddressRanges<Range> ranges_;
};

}  // namespace Atoll::simulate
