// Ranges of numbers, such as addresses: a map from disjoint ranges to values, and a set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace Atoll {

/// Maps disjoint ranges [begin, end) to values. A range is split if a part of it gets another
/// value. Empty and reversed ranges are ignored.
template <class Value>
class RangeMap {
 public:
  struct Rest {
    std::uint64_t end;
    Value value;
  };
  using Map = std::map<std::uint64_t, Rest>;  ///< by begin

  /// Assigns a value to the whole range. Returns the range; end() if it is empty.
  typename Map::iterator assign(std::uint64_t begin, std::uint64_t end, Value value) {
    if (begin >= end) return map_.end();
    erase(begin, end);
    return map_.emplace(begin, Rest{end, std::move(value)}).first;
  }
  void erase(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const auto first = cut(begin), last = cut(end);
    map_.erase(first, last);
  }
  /// Calls change(value) for each part of the range. Parts without a value get Value{} first.
  template <class Change>
  void update(std::uint64_t begin, std::uint64_t end, Change&& change) {
    if (begin >= end) return;
    auto at = cut(begin);
    cut(end);
    while (begin < end) {
      if (at == map_.end() || at->first > begin)
        at = map_.emplace_hint(at, begin,
                               Rest{at == map_.end() ? end : std::min(end, at->first), Value{}});
      change(at->second.value);
      begin = at->second.end;
      ++at;
    }
  }
  /// Calls change(value) for each part of the range that has a value.
  template <class Change>
  void update_known(std::uint64_t begin, std::uint64_t end, Change&& change) {
    if (begin >= end) return;
    cut(end);
    for (auto at = cut(begin); at != map_.end() && at->first < end; ++at) change(at->second.value);
  }
  /// Joins ranges with equal values that meet between `begin` and `end`, both included.
  void join(std::uint64_t begin, std::uint64_t end) {
    auto at = map_.lower_bound(begin);
    if (at != map_.begin()) --at;
    while (at != map_.end()) {
      const auto next = std::next(at);
      if (next == map_.end() || next->first > end) return;
      if (at->second.end == next->first && at->second.value == next->second.value) {
        at->second.end = next->second.end;
        map_.erase(next);
      } else {
        at = next;
      }
    }
  }

  /// Returns the range that contains `at`; end() if there is none.
  [[nodiscard]] typename Map::const_iterator find(std::uint64_t at) const {
    const auto after = map_.upper_bound(at);
    return after != map_.begin() && std::prev(after)->second.end > at ? std::prev(after)
                                                                      : map_.end();
  }
  [[nodiscard]] typename Map::iterator find(std::uint64_t at) {
    const auto after = map_.upper_bound(at);
    return after != map_.begin() && std::prev(after)->second.end > at ? std::prev(after)
                                                                      : map_.end();
  }
  /// Returns the value at `at`; null if there is none.
  [[nodiscard]] const Value* value_at(std::uint64_t at) const {
    const auto found = find(at);
    return found == map_.end() ? nullptr : &found->second.value;
  }
  /// Calls visit(begin, end, value) for each part of the range that has a value, in order.
  template <class Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    auto at = map_.upper_bound(begin);
    if (at != map_.begin() && std::prev(at)->second.end > begin) --at;
    for (; at != map_.end() && at->first < end; ++at)
      visit(std::max(begin, at->first), std::min(end, at->second.end), at->second.value);
  }

  /// Returns all ranges, by begin.
  [[nodiscard]] const Map& all() const { return map_; }

 private:
  /// Splits the range that contains `at` in two. Returns the first range from `at` on.
  typename Map::iterator cut(std::uint64_t at) {
    const auto after = map_.lower_bound(at);
    if (after == map_.begin() || (after != map_.end() && after->first == at)) return after;
    Rest& before = std::prev(after)->second;
    if (before.end <= at) return after;
    const auto rest = map_.emplace_hint(after, at, before);
    before.end = at;
    return rest;
  }

  Map map_;
};

/// A set of numbers, as disjoint ranges that don't touch.
class RangeSet {
 public:
  void insert(std::uint64_t begin, std::uint64_t end) {
    ranges_.assign(begin, end, {});
    ranges_.join(begin, end);
  }
  /// Calls visit(begin, end) for each part of the range that is in the set, in order.
  template <class Visit>
  void for_each(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
    ranges_.for_each(begin, end,
                     [&](std::uint64_t first, std::uint64_t last, Nothing) { visit(first, last); });
  }

 private:
  struct Nothing {
    friend bool operator==(Nothing, Nothing) = default;
  };
  RangeMap<Nothing> ranges_;
};

}  // namespace Atoll
