#include "greenmarl/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace Atoll::greenmarl {
namespace {

/// Longer names aren't compared, because the time is proportional to the product of both lengths.
constexpr std::size_t kMaxLength = 64;

/// Returns the edit distance, with transpositions (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_before, before(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = std::exchange(before, row);
  }
  return before[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  if (name.size() > kMaxLength) return "";
  std::size_t least = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const std::string_view candidate : known) {
    // One-letter names are close to all others.
    if (candidate.size() > kMaxLength || candidate == name ||
        std::min(name.size(), candidate.size()) < 2)
      continue;
    const std::size_t changes = distance(name, candidate);
    if (changes >= least) continue;
    least = changes;
    nearest = candidate;
  }
  return std::string(nearest);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known,
                         std::string otherwise) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", nearest);
}

}  // namespace Atoll::greenmarl
