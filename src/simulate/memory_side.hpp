// The cache in front of a memory, at its controller. Serves misses and write-backs of all
// processors' caches. It takes no part in coherence: it has no holders and is never invalidated. It
// has no notion of time.
//
// Lines are indexed by their position in memory (Homes::line_in_memory): whether two pages conflict
// depends on that and not on their addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/outcome.hpp"
#include "simulate/shape.hpp"

namespace Atoll::simulate {

class MemorySide {
 public:
  /// Outcome of a request.
  struct Met {
    MemorySideResult result = MemorySideResult::hit;
    std::uint64_t victim = 0;  ///< for missed_changed: the evicted line's first line in memory
  };

  /// No cache.
  MemorySide() = default;
  explicit MemorySide(const MemorySideShape& shape);

  [[nodiscard]] bool is_there() const { return sets_ > 0; }
  /// Reads the line or writes it back. Afterwards the cache holds it.
  Met use(std::uint64_t line, bool write);
  /// Returns the outcome of a read of the line. Changes nothing.
  [[nodiscard]] MemorySideResult look(std::uint64_t line) const;
  /// Size of the tags in memory: proportional to the lines that were ever used.
  [[nodiscard]] std::size_t bytes() const;

 private:
  // Entry: number of the line within its set (31 bits), from 1, and a dirty flag. 0 means empty.
  // The first entry of a set is the most recently used.
  using Entry = std::uint32_t;
  static constexpr Entry kChanged = 1;
  static constexpr std::uint64_t kSetsOfChunk = 4096;
  [[nodiscard]] Entry name_of(std::uint64_t line) const {
    return static_cast<Entry>(((line >> line_bits_) / sets_ + 1) << 1);
  }
  [[nodiscard]] Entry* set_of(std::uint64_t set);

  std::uint64_t sets_ = 0;
  std::uint32_t ways_ = 1;
  int line_bits_ = 0;  ///< log2 of its line size divided by the line size of the processor's caches
  std::vector<std::vector<Entry>> chunks_;  ///< of sets; empty if unused
};

}  // namespace Atoll::simulate
