// Maps address ranges of processes to values. A range is split if parts of it get other values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace Atoll::trace {

template <class Value>
class AddressRanges {
 public:
  /// Calls change(value) for each part of a range. Parts without a value get a Value{} first.
  template <class Change>
  void update(std::uint64_t process, std::uint64_t begin, std::uint64_t end, Change&& change) {
    if (begin >= end) return;
    Ranges& ranges = ranges_[process];
    cut(ranges, begin);
    cut(ranges, end);
    for (auto range = ranges.lower_bound(begin); begin < end; range = ranges.lower_bound(begin)) {
      if (range == ranges.end() || range->first > begin) {
        const std::uint64_t stop = range == ranges.end() ? end : std::min(end, range->first);
        range = ranges.emplace(begin, Range{stop, Value{}}).first;
      }
      change(range->second.value);
      begin = range->second.end;
    }
  }
  /// Calls change(value) for each part of a range that has a value.
  template <class Change>
  void update_known(std::uint64_t process, std::uint64_t begin, std::uint64_t end,
                    Change&& change) {
    const auto its = ranges_.find(process);
    if (its == ranges_.end() || begin >= end) return;
    cut(its->second, begin);
    cut(its->second, end);
    const auto last = its->second.lower_bound(end);
    for (auto range = its->second.lower_bound(begin); range != last; ++range)
      change(range->second.value);
  }
  void erase(std::uint64_t process, std::uint64_t begin, std::uint64_t end) {
    const auto its = ranges_.find(process);
    if (its == ranges_.end() || begin >= end) return;
    cut(its->second, begin);
    cut(its->second, end);
    its->second.erase(its->second.lower_bound(begin), its->second.lower_bound(end));
  }
  /// Copies the values of `parent` to `child`, which was forked from it.
  void fork(std::uint64_t parent, std::uint64_t child) { ranges_[child] = ranges_[parent]; }
  /// Returns null if the address has no value.
  [[nodiscard]] const Value* find(std::uint64_t process, std::uint64_t address) const {
    const auto its = ranges_.find(process);
    if (its == ranges_.end()) return nullptr;
    const auto after = its->second.upper_bound(address);
    if (after == its->second.begin()) return nullptr;
    const Range& before = std::prev(after)->second;
    return before.end > address ? &before.value : nullptr;
  }
  [[nodiscard]] bool is_empty() const { return ranges_.empty(); }

 private:
  struct Range {
    std::uint64_t end;
    Value value;
  };
  using Ranges = std::map<std::uint64_t, Range>;  ///< by first address

  /// Splits the range that contains `at`, if there is one.
  static void cut(Ranges& ranges, std::uint64_t at) {
    const auto after = ranges.upper_bound(at);
    if (after == ranges.begin()) return;
    const auto before = std::prev(after);
    if (before->first == at || before->second.end <= at) return;
    ranges.emplace_hint(after, at, before->second);
    before->second.end = at;
  }

  std::map<std::uint64_t, Ranges> ranges_;
};

}  // namespace Atoll::trace
