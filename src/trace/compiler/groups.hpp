// Accesses of a block that lie within 64 bytes of each other at constant distances. One lookup
// finds them if they are in the same line.
#pragma once

#include <vector>

#include "trace/compiler/accesses.hpp"

namespace Atoll::trace::compiled {

/// A part of a group: a number of accesses of `bytes` at the group's base + offset.
struct Part {
  std::int64_t offset;
  std::uint64_t bytes;
  std::uint64_t align;
  std::uint32_t reads, writes;  ///< an access of kind memory counts as one for each 8 bytes
  bool memory;
};

struct Group {
  llvm::Instruction* at;  ///< before the first of the accesses
  llvm::Value* base;
  std::vector<Part> parts;
  std::int64_t begin, end;  ///< bytes from base, end - begin <= 64
  bool atomic = false;      ///< of one access, an atomic operation's

  /// Base + begin is `residue` modulo `align`, a power of two up to 64.
  struct Alignment {
    std::uint64_t align, residue;
  };
  [[nodiscard]] Alignment alignment() const;
  [[nodiscard]] std::uint32_t reads() const;
  [[nodiscard]] std::uint32_t writes() const;
};

/// Returns the groups of the accesses of shape plain, in their order.
[[nodiscard]] std::vector<Group> groups_of(const std::vector<Access>& accesses,
                                           const llvm::DataLayout& layout);

}  // namespace Atoll::trace::compiled
