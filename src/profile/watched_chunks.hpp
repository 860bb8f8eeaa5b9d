// The chunks of large objects that `sample` watches. It watches one chunk in several, so the use of
// the others is estimated.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "atoll/profile/profile.hpp"

namespace Atoll::profile {

class WatchedChunks {
 public:
  /// The sampled chunks of an object that is watched only in part.
  struct Group {
    std::uint32_t object;
    std::uint32_t first, end;  ///< chunk numbers; `end` is exclusive
    double uses;               ///< sum of the samples' uses
  };

  explicit WatchedChunks(const Profile& profile);

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// Returns the number of a sampled page's chunk, from 1. 0: its object is watched as a whole.
  [[nodiscard]] std::uint32_t chunk_of(std::uint32_t object, std::uint64_t page) const;
  /// Draws the chunks of each group with replacement. In a small group, one unseen chunk is added
  /// to the draw. Writes how often each chunk was drawn to `times`, by chunk number (times[0] = 1),
  /// and the uses of unseen chunks to `unseen`, by group.
  void draw(std::mt19937_64& random, std::vector<double>& times, std::vector<double>& unseen) const;

 private:
  [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> key_of(std::uint32_t object,
                                                               std::uint64_t page) const;

  const Profile& profile_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> numbers_;
  std::vector<Group> groups_;
  std::uint32_t count_ = 0;
};

}  // namespace Atoll::profile
