// The chunks of large objects that `sample` watches. It watches one chunk in several, so what
// happens in the others is only estimated.
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
  /// The chunks that have samples, of an object of which only some chunks are watched.
  struct Group {
    std::uint32_t object;
    std::uint32_t first, end;  ///< chunk numbers; the end is not included
    double uses;               ///< samples' uses
  };

  explicit WatchedChunks(const Profile& profile);

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// Returns the number of a sampled page's chunk, from 1. 0: its object is watched as a whole.
  [[nodiscard]] std::uint32_t chunk_of(std::uint32_t object, std::uint64_t page) const;
  /// Draws the chunks of each group with replacement. If a group has few, one more that was not
  /// seen is among them. Writes how often each chunk was drawn to `times`, by chunk number
  /// (times[0] = 1), and the uses of the unseen ones to `unseen`, by group.
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
