#include "trace/object_ranges.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace Atoll::trace {

void ObjectRanges::remove(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                          std::uint64_t clock) {
  if (begin >= end) return;
  std::map<std::uint64_t, Range>& now = processes_[process].now;
  auto at = now.upper_bound(begin);
  if (at != now.begin() && std::prev(at)->second.end > begin) --at;
  while (at != now.end() && at->first < end) {
    const std::uint64_t first = at->first;
    const Range range = at->second;
    at = now.erase(at);
    if (range.from < clock)
      ended_.push_back({process, range.object, std::max(first, begin), std::min(range.end, end),
                        range.from, clock});
    if (first < begin) now.emplace(first, Range{begin, range.from, range.object});
    if (range.end > end) now.emplace(end, range);
  }
}

void ObjectRanges::put(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                       std::uint32_t object, std::uint64_t clock) {
  if (begin >= end) return;
  remove(process, begin, end, clock);
  processes_[process].now.emplace(begin, Range{end, clock, object});
  note_known(processes_[process], begin, end);
}

void ObjectRanges::put_told_late(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                                 std::uint32_t object, std::uint64_t clock) {
  if (begin >= end) return;
  remove(process, begin, end, clock);
  Memory& memory = processes_[process];
  auto known = memory.known.upper_bound(begin);
  if (known != memory.known.begin() && std::prev(known)->second > begin) --known;
  for (std::uint64_t at = begin; at < end;) {
    const bool is_known = known != memory.known.end() && known->first <= at;
    const std::uint64_t next = known == memory.known.end() ? end
                               : is_known                  ? known->second
                                                           : known->first;
    const std::uint64_t stop = std::min(end, next);
    memory.now.emplace(at, Range{stop, is_known ? clock : 0, object});
    if (is_known) ++known;
    at = stop;
  }
  note_known(memory, begin, end);
}

void ObjectRanges::put_inside(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                              std::uint32_t object) {
  std::map<std::uint64_t, Range>& now = processes_[process].now;
  auto at = now.upper_bound(begin);
  if (at != now.begin() && std::prev(at)->second.end > begin) --at;
  while (at != now.end() && at->first < end) {
    const std::uint64_t first = at->first;
    const Range range = at->second;
    at = now.erase(at);
    if (first < begin) now.emplace(first, Range{begin, range.from, range.object});
    now.emplace(std::max(first, begin), Range{std::min(range.end, end), range.from, object});
    if (range.end > end) now.emplace(end, range);
  }
}

void ObjectRanges::note_known(Memory& memory, std::uint64_t begin, std::uint64_t end) {
  auto at = memory.known.upper_bound(begin);
  if (at != memory.known.begin() && std::prev(at)->second >= begin) --at;
  while (at != memory.known.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = memory.known.erase(at);
  }
  memory.known.emplace(begin, end);
}

std::vector<ObjectRange> ObjectRanges::take() {
  for (std::uint32_t process = 0; process < processes_.size(); ++process)
    for (const auto& [begin, range] : processes_[process].now)
      ended_.push_back({process, range.object, begin, range.end, range.from, kNoEvent});
  std::ranges::sort(ended_, {}, [](const ObjectRange& range) {
    return std::tie(range.process, range.begin, range.from);
  });
  return std::move(ended_);
}

}  // namespace Atoll::trace
