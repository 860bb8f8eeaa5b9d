// Sets of coordinates.
#include "stencil/intervals.hpp"

#include <algorithm>

namespace Atoll::stencil {

void add(Intervals& set, Plan::Interval interval) {
  if (interval.lo >= interval.hi) return;
  // The first interval that the new one touches, and the first one after it.
  const auto first = std::ranges::lower_bound(set, interval.lo, {}, &Plan::Interval::hi);
  auto last = first;
  for (; last != set.end() && last->lo <= interval.hi; ++last) {
    interval.lo = std::min(interval.lo, last->lo);
    interval.hi = std::max(interval.hi, last->hi);
  }
  set.insert(set.erase(first, last), interval);
}

void add(Intervals& set, const Intervals& others) {
  for (const Plan::Interval& interval : others) add(set, interval);
}

Intervals common(const Intervals& a, const Intervals& b) {
  Intervals both;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    const Plan::Interval part{std::max(i->lo, j->lo), std::min(i->hi, j->hi)};
    if (part.lo < part.hi) both.push_back(part);
    (i->hi < j->hi ? i : j)++;
  }
  return both;
}

Intervals without(const Intervals& a, const Intervals& b) {
  Intervals rest;
  auto other = b.begin();
  for (Plan::Interval part : a) {
    while (other != b.end() && other->hi <= part.lo) ++other;
    for (auto next = other; next != b.end() && next->lo < part.hi; ++next) {
      if (part.lo < next->lo) rest.push_back({part.lo, next->lo});
      part.lo = next->hi;
    }
    if (part.lo < part.hi) rest.push_back(part);
  }
  return rest;
}

std::int64_t size_of(const Intervals& set) {
  std::int64_t size = 0;
  for (const Plan::Interval& interval : set) size += interval.hi - interval.lo;
  return size;
}

Plan::Interval hull_of(const Intervals& set) {
  return set.empty() ? Plan::Interval{} : Plan::Interval{set.front().lo, set.back().hi};
}

}  // namespace Atoll::stencil
