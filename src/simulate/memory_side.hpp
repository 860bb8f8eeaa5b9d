// The cache in front of a memory, at its controller. What misses all processors' caches, and what
// they write back, is looked for here first. It is no part of coherence: it has no holders, and
// nobody takes lines from it. It knows nothing of time.
//
// Lines go by where they lie in their memory (Homes::line_in_memory), as two pages of one address
// in the cache drive each other out wherever a program sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/outcome.hpp"
#include "simulate/shape.hpp"

namespace Atoll::simulate {

class MemorySide {
 public:
  /// What a line met.
  struct Met {
    MemorySideResult result = MemorySideResult::hit;
    std::uint64_t victim = 0;  ///< of missed_changed: the first line in memory that had to go
  };

  /// There is none.
  MemorySide() = default;
  explicit MemorySide(const MemorySideShape& shape);

  [[nodiscard]] bool is_there() const { return sets_ > 0; }
  /// A line is read, or written back. It is there afterwards.
  Met use(std::uint64_t line, bool write);
  /// What a read of the line would meet. Nothing changes.
  [[nodiscard]] MemorySideResult look(std::uint64_t line) const;
  /// What the tags take: as much as lines of the cache were ever used, or a little more.
  [[nodiscard]] std::size_t bytes() const;

 private:
  // An entry: which of the lines of a set (31 bits), counted from 1, and whether it was changed. 0:
  // empty. The first one of a set is the last one used.
  using Entry = std::uint32_t;
  static constexpr Entry kChanged = 1;
  static constexpr std::uint64_t kSetsOfChunk = 4096;
  [[nodiscard]] Entry name_of(std::uint64_t line) const {
    return static_cast<Entry>(((line >> line_bits_) / sets_ + 1) << 1);
  }
  [[nodiscard]] Entry* set_of(std::uint64_t set);

  std::uint64_t sets_ = 0;
  std::uint32_t ways_ = 1;
  int line_bits_ = 0;                       ///< log2 of its line by the processors' caches' line
  std::vector<std::vector<Entry>> chunks_;  ///< of sets; empty: nobody used them
};

}  // namespace Atoll::simulate
