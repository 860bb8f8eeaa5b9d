#include "options/near_miss.hpp"

#include <algorithm>
#include <cstddef>

namespace Atoll::options {
namespace {

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return table.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t kMaxWord = 64;  // names are shorter, and the table is small
  if (word.size() > kMaxWord) return "";
  const std::string_view bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::size_t least = bare.size() < 5 ? 2 : 3;  // the first distance that is too large
  std::string found;
  for (const std::string& one : words)
    if (const std::size_t far = distance(word, one); far < least) {
      least = far;
      found = one;
    }
  return found;
}

}  // namespace Atoll::options
