// The coordinates of tiles, stored once for tiles that are equal but for their place.
#include <algorithm>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

void Plan::Cut::add(std::span<const Interval> intervals) {
  if (!runs_.empty()) {
    Run& last = runs_.back();
    const std::span<const Interval> known(intervals_.data() + last.first, last.count);
    const int tiles = last.end - last.begin;
    const int shift = known.empty() || intervals.empty() ? 0 : intervals[0].lo - known[0].lo;
    const bool is_moved =
        std::ranges::equal(known, intervals, [shift](const Interval& a, const Interval& b) {
          return a.lo + shift == b.lo && a.hi + shift == b.hi;
        });
    if (is_moved && (tiles == 1 || shift == last.step * tiles)) {
      if (tiles == 1) last.step = shift;
      ++last.end;
      return;
    }
  }
  const int tile = tiles();
  runs_.push_back({tile, tile + 1, 0, static_cast<std::uint32_t>(intervals_.size()),
                   static_cast<std::uint32_t>(intervals.size())});
  intervals_.insert(intervals_.end(), intervals.begin(), intervals.end());
}

void Plan::Cut::add_up(std::vector<double>& before) const {
  before.assign(1, 0);
  for (const Run& run : runs_) {
    double each = 0;
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i)
      each += intervals_[i].hi - intervals_[i].lo;
    for (int tile = run.begin; tile < run.end; ++tile) before.push_back(before.back() + each);
  }
}

std::uint64_t Plan::Cut::bytes() const {
  return runs_.capacity() * sizeof(Run) + intervals_.capacity() * sizeof(Interval);
}

std::vector<Plan::Interval> Plan::of_tile(const Cut& cut, int tile) {
  const Cut::Tile of = cut.of(tile);
  std::vector<Interval> intervals(of.intervals.begin(), of.intervals.end());
  for (Interval& interval : intervals) interval.lo += of.shift, interval.hi += of.shift;
  return intervals;
}

}  // namespace Atoll::stencil
