// What calls of a simulated program ask for: where ranges of memory, and what threads touch first,
// are to lie.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "atoll/trace/stream.hpp"
#include "simulate/model.hpp"
#include "simulate/placement.hpp"

namespace Atoll::simulate {

class MemoryCalls {
 public:
  /// `model` must outlive this.
  explicit MemoryCalls(const Model& model) : model_(&model) {}

  /// mbind, or madvise about huge pages.
  void range(std::uint64_t process, const trace::StreamPlacement& call);
  /// The range was unmapped: nothing is asked for there any more.
  void forget(std::uint64_t process, std::uint64_t begin, std::uint64_t end);
  /// A process was forked from another one, and has what that asked for.
  void fork(std::uint64_t parent, std::uint64_t child) { ranges_[child] = ranges_[parent]; }
  [[nodiscard]] Asked policy_of(const trace::StreamPlacement& call) const;
  /// What holds at an address; null, nothing: nothing was asked for.
  [[nodiscard]] const Asked* policy_at(std::uint64_t process, std::uint64_t address) const;
  [[nodiscard]] std::optional<bool> huge_at(std::uint64_t process, std::uint64_t address) const;
  /// The memory of a node; nothing: there is none.
  [[nodiscard]] std::optional<std::uint16_t> memory_of(std::uint64_t node) const;

 private:
  struct Range {
    std::uint64_t end = 0;
    Asked policy;
    std::optional<bool> huge;
  };
  using Ranges = std::map<std::uint64_t, Range>;
  static void cut(Ranges& ranges, std::uint64_t at);
  [[nodiscard]] const Range* at(std::uint64_t process, std::uint64_t address) const;

  const Model* model_;
  std::map<std::uint64_t, Ranges> ranges_;
};

}  // namespace Atoll::simulate
