// Groups of tiles.
//
// Within a level, a dependence leads from a band to itself or to a gap beside it, from a gap to
// itself or to what is left. It never leads back in another level meanwhile. So a group depends on
// those that come before it in some levels and have the same place in all others.
#include "stencil/groups.hpp"

#include <algorithm>
#include <tuple>

#include "stencil/bands.hpp"
#include "stencil/cut.hpp"

namespace Atoll::stencil {
namespace {

constexpr int kMostBands = 1000;  // labels have room for as many

/// Tiles of one level with labels of one group.
struct Part {
  enum Kind { band, gap, left };  // of a level; a dependence leads to a higher one
  int first = 0, end = 0;
  Kind kind = band;
  int band_of_thread = 0;
  std::vector<std::size_t> after;  ///< positions of parts
};

/// In the order of the labels: bands, gaps, what is left.
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
  using Place = std::array<std::size_t, kMaxDimensions>;  // a part in each level
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
    // If some threads have no band, those that have one are spread as the fields' pages are.
    made.thread = static_cast<int>(band * threads / bands);
    number_of(place) = static_cast<int>(groups.size()) - 1;
  }
  return groups;
}

int most_bands(const Chain& chain, std::size_t level, int threads) {
  int bands = std::clamp(threads, 1, kMostBands);
  for (const ChainMesh& mesh : chain.meshes) {
    const int d = dimension_of(mesh, static_cast<int>(level));
    bands = std::min(bands, d < 0 ? 1 : mesh.interior.hi[static_cast<std::size_t>(d)]);
  }
  return bands;
}

std::vector<Grid> grids_for(const Chain& chain, int threads) {
  constexpr std::size_t kTried = 3;
  constexpr int kShortest = 2, kShortestRow = 32;  // what should be left beside the longest gaps
  const int dimensions = chain.meshes.front().dimensions;
  for (const ChainMesh& mesh : chain.meshes)
    if (mesh.dimensions != dimensions) return {};
  const std::array<int, kMaxDimensions> skew = skew_of(chain);
  Grid most{1, 1, 1};
  std::array<double, kMaxDimensions> gap{};  // the share of a level that one gap has
  for (int level = 0; level < dimensions; ++level) {
    const auto l = static_cast<std::size_t>(level);
    const auto d = static_cast<std::size_t>(dimensions - 1 - level);
    int size = kMaxExtent;
    for (const ChainMesh& mesh : chain.meshes) size = std::min(size, mesh.interior.hi[d]);
    const int band = 2 * skew[d] + (d == 0 ? kShortestRow : kShortest);
    most[l] = std::clamp(size / band, 1, std::min(threads, kMostBands));
    gap[l] = static_cast<double>(skew[d]) / size;
  }
  struct Candidate {
    Grid grid;
    int bands;
    double gaps;
  };
  std::vector<Candidate> found;
  for (int a = 1; a <= most[0]; ++a)
    for (int b = 1; b <= most[1] && a * b <= threads; ++b)
      for (int c = b == 1 ? 2 : 1; c <= most[2] && a * b * c <= threads; ++c)
        found.push_back({{a, b, c}, a * b * c, a * gap[0] + b * gap[1] + c * gap[2]});
  // As many threads as can be, whole rows, few gaps.
  std::ranges::sort(found, [](const Candidate& one, const Candidate& other) {
    return std::tuple(-one.bands, one.grid[2], one.gaps) <
           std::tuple(-other.bands, other.grid[2], other.gaps);
  });
  std::vector<Grid> grids;
  for (const Candidate& candidate : found)
    if (grids.size() < kTried) grids.push_back(candidate.grid);
  return grids;
}

}  // namespace Atoll::stencil
