// Divides the accesses to a line among the objects on it. The recorder has counts of whole lines
// and a mask of the 8-byte words that were touched. An object's share is its share of the touched
// words, which is exact if a thread touched only one object there.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "atoll/recording/recording.hpp"

namespace Atoll::profile {

/// One object's share: words [begin, end) of `all`.
struct LineShare {
  std::size_t owner;  ///< position in the list of owners
  std::uint64_t begin, end, all;

  /// Returns the owner's share of the accesses to the line. The shares of all owners sum to
  /// `accesses`.
  [[nodiscard]] std::uint64_t of(std::uint64_t accesses) const {
    return floor_part(accesses, end) - floor_part(accesses, begin);
  }

 private:
  [[nodiscard]] std::uint64_t floor_part(std::uint64_t accesses, std::uint64_t words) const {
    return accesses / all * words + accesses % all * words / all;
  }
};

/// Calls give(LineShare) for each owner of the line that has touched words, or for all owners if no
/// touched word is known. A word of several owners counts for each of them.
template <typename Give>
void share_line(std::span<const recording::ObjectLines> owners, std::uint8_t touched, Give&& give) {
  const auto words_of = [&](const recording::ObjectLines& owner) {
    return static_cast<std::uint64_t>(
        std::popcount(static_cast<std::uint8_t>(owner.words & (touched != 0 ? touched : 0xffU))));
  };
  std::uint64_t all = 0, begin = 0;
  for (const recording::ObjectLines& owner : owners) all += words_of(owner);
  for (std::size_t i = 0; i < owners.size() && all != 0; ++i) {
    const std::uint64_t words = words_of(owners[i]);
    if (words != 0) give(LineShare{i, begin, begin + words, all});
    begin += words;
  }
}

/// Calls give(owners) for each entry of lines with one object, and once for all entries of a line
/// that several objects share.
template <typename Give>
void for_lines_by_owners(std::span<const recording::ObjectLines> parts, Give&& give) {
  for (std::size_t i = 0, end = 0; i < parts.size(); i = end) {
    while (end < parts.size() && parts[end].first_line == parts[i].first_line) ++end;
    give(parts.subspan(i, end - i));
  }
}

}  // namespace Atoll::profile
