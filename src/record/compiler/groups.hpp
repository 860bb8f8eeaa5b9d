// Accesses of a basic block at constant distances of at most 64 bytes from each other. One lookup
// counts them all if they are in the same cache line.
#pragma once

#include <vector>

#include "record/compiler/accesses.hpp"

namespace Atoll::record::compiled {

/// Accesses of a group that have the same address and size: `bytes` at the group's base + offset.
struct Part {
  std::int64_t offset;
  std::uint64_t bytes;
  std::uint64_t align;
  std::uint32_t reads, writes;  ///< an access of kind memory counts once per 8 bytes
  bool memory;
};

struct Group {
  llvm::Instruction* at;  ///< the first access; recording is emitted before it
  llvm::Value* base;
  std::vector<Part> parts;
  std::int64_t begin, end;  ///< bytes from base, end - begin <= 64
  bool atomic = false;      ///< a single access, by an atomic operation

  /// Base + begin equals `residue` modulo `align`. `align` is a power of two up to 64.
  struct Alignment {
    std::uint64_t align, residue;
  };
  [[nodiscard]] Alignment alignment() const;
  [[nodiscard]] std::uint32_t reads() const;
  [[nodiscard]] std::uint32_t writes() const;
};

/// Groups the accesses of shape plain. The groups are in the order of their first accesses.
[[nodiscard]] std::vector<Group> groups_of(const std::vector<InstructionAccess>& accesses,
                                           const llvm::DataLayout& layout);

}  // namespace Atoll::record::compiled
