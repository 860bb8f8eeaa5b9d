// Groups of tiles.
//
// Within a level, a dependence leads from a band to itself or to an adjacent gap, and from a gap to
// itself or to the remainder. In the other levels it never leads to an earlier part. So a group
// depends on the groups whose part is earlier in one level and the same in all others.
#include "stencil/groups.hpp"

#include <algorithm>
#include <utility>

#include "stencil/bands.hpp"
#include "stencil/cut.hpp"

namespace Atoll::stencil {
namespace {

constexpr int kMaxBands = 1000;  // limited by the bits of a label

/// Tiles of one level whose labels have the same group.
struct Part {
  enum Kind { band, gap, left };  // dependences lead to higher kinds only
  int first = 0, end = 0;
  Kind kind = band;
  int band_of_thread = 0;
  std::vector<std::size_t> after;  ///< indices of the parts that it depends on
};

/// Returns the parts in label order: bands, gaps, remainder.
std::vector<Part> parts_of(const std::vector<Label>& labels, int bands) {
  std::vector<Part> parts;
  std::vector<int> number(static_cast<std::size_t>(2 * bands + 1), -1);
  for (std::size_t at = 0; at < labels.size();) {
    const int group = group_of(labels[at]);
    Part part;
    part.first = static_cast<int>(at);
    while (at < labels.size() && group_of(labels[at]) == group) ++at;
    part.end = static_cast<int>(at);
    part.kind = group < bands ? Part::band : group < 2 * bands ? Part::gap : Part::left;
    if (part.kind != Part::left) part.band_of_thread = group % bands;
    const auto add = [&](int before) {
      const int found = number[static_cast<std::size_t>(before)];
      if (found >= 0) part.after.push_back(static_cast<std::size_t>(found));
    };
    if (part.kind == Part::gap) add(group - bands), add((group - bands + 1) % bands);
    if (part.kind == Part::left)
      for (int before = 0; before < 2 * bands; ++before) add(before);
    number[static_cast<std::size_t>(group)] = static_cast<int>(parts.size());
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

std::vector<Plan::Group> groups_of(const std::array<std::vector<Label>, kMaxDimensions>& labels,
                                   const Grid& grid, int threads) {
  using Place = std::array<std::size_t, kMaxDimensions>;  // one part in each level
  std::array<std::vector<Part>, kMaxDimensions> parts;
  for (std::size_t level = 0; level < kMaxDimensions; ++level)
    parts[level] = parts_of(labels[level], grid[level]);
  const auto part_of = [&](const Place& place, std::size_t level) -> const Part& {
    return parts[level][place[level]];
  };
  const auto rank = [&](const Place& place) {
    int sum = 0;
    for (std::size_t level = 0; level < kMaxDimensions; ++level) sum += part_of(place, level).kind;
    return sum;
  };
  std::vector<Place> places;
  for (std::size_t a = 0; a < parts[0].size(); ++a)
    for (std::size_t b = 0; b < parts[1].size(); ++b)
      for (std::size_t c = 0; c < parts[2].size(); ++c) places.push_back({a, b, c});
  std::ranges::stable_sort(places, {}, rank);

  const int bands = grid[0] * grid[1] * grid[2];
  std::vector<int> number(places.size());
  const auto number_of = [&](const Place& place) -> int& {
    return number[(place[0] * parts[1].size() + place[1]) * parts[2].size() + place[2]];
  };
  std::vector<Plan::Group> groups;
  for (const Place& place : places) {
    Plan::Group& made = groups.emplace_back();
    std::int64_t band = 0;
    for (std::size_t level = 0; level < kMaxDimensions; ++level) {
      const Part& part = part_of(place, level);
      made.first[level] = part.first;
      made.end[level] = part.end;
      band = band * grid[level] + part.band_of_thread;
      if (part.kind == Part::left)
        made.phase = Plan::Group::kLeft;
      else if (made.phase != Plan::Group::kLeft)
        made.phase += part.kind == Part::gap;
      for (const std::size_t before : part.after) {
        Place other = place;
        other[level] = before;
        made.after.push_back(number_of(other));
      }
    }
    // If there are fewer bands than threads, the threads are chosen evenly, as the fields' pages
    // are distributed.
    made.thread = static_cast<int>(band * threads / bands);
    number_of(place) = static_cast<int>(groups.size()) - 1;
  }
  return groups;
}

int most_bands(const Chain& chain, std::size_t level, int threads) {
  int bands = std::clamp(threads, 1, kMaxBands);
  for (const ChainMesh& mesh : chain.meshes) {
    const int d = dimension_of(mesh, static_cast<int>(level));
    bands = std::min(bands, d < 0 ? 1 : mesh.interior.hi[static_cast<std::size_t>(d)]);
  }
  return bands;
}

std::vector<Grid> grids_for(const Chain& chain, int threads) {
  constexpr std::size_t kTried = 3;
  if (std::ranges::any_of(chain.meshes, [](const ChainMesh& mesh) { return mesh.dimensions != 3; }))
    return {};
  const std::array<int, kMaxDimensions> skew = skew_of(chain);
  const auto share = [&](std::size_t level) {  // fraction of a level that the longest gap and its
                                               // surroundings take
    const std::size_t d = kMaxDimensions - 1 - level;
    int size = kMaxExtent;
    for (const ChainMesh& mesh : chain.meshes) size = std::min(size, mesh.interior.hi[d]);
    return (2.0 * skew[d] + 2) / size;
  };
  const double outer = share(0), inner = share(1);
  std::vector<Grid> grids;
  for (int a = 1; a <= std::min(threads, kMaxBands) && a * outer <= 1; ++a)
    for (int b = 2; a * b <= threads && b * inner <= 1; ++b) grids.push_back({a, b, 1});
  // Most threads first, then the fewest gaps.
  std::ranges::sort(grids, {}, [&](const Grid& grid) {
    return std::pair(-grid[0] * grid[1], grid[0] * outer + grid[1] * inner);
  });
  grids.resize(std::min(grids.size(), kTried));
  return grids;
}

}  // namespace Atoll::stencil
