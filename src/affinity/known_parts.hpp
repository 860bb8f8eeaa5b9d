// Parts of tasks that were recorded before, so that a loop that runs again takes no more memory.
#pragma once

#include <cstdint>
#include <vector>

namespace Atoll::affinity {

/// A set of parts by their 64-bit hashes, in 8 to 16 bytes each. Two different ones of 10 million
/// parts have the same hash with a probability of 3e-6; the second one would be left out.
class KnownParts {
 public:
  [[nodiscard]] bool contains(std::uint64_t hash) const;
  /// Adds a hash that contains() does not find.
  void add(std::uint64_t hash);

 private:
  /// The place of the hash, or the free place for it.
  [[nodiscard]] std::size_t place_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> hashes_;  ///< open addressing; 0: free
  std::size_t used_ = 0;
};

}  // namespace Atoll::affinity
