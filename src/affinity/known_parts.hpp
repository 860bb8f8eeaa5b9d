// The set of recorded parts of tasks, so that a loop that runs again takes no more memory.
#pragma once

#include <cstdint>
#include <vector>

namespace Atoll::affinity {

/// A set of parts by their 64-bit hashes, 8 to 16 bytes each. With 10 million parts, a collision
/// has a probability of 3e-6; the second part would be dropped.
class KnownParts {
 public:
  [[nodiscard]] bool contains(std::uint64_t hash) const;
  /// Adds a hash that isn't in the set.
  void add(std::uint64_t hash);

 private:
  /// Returns the index of the hash, or of the free slot for it.
  [[nodiscard]] std::size_t place_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> hashes_;  ///< open addressing; 0 marks a free slot
  std::size_t used_ = 0;
};

}  // namespace Atoll::affinity
