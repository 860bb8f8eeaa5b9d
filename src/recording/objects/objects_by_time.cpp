// Index of objects by address and time. The bounds of all ranges of a process divide its addresses
// into pieces; each piece has a list of its objects, ordered by time.
#include "atoll/recording/objects_by_time.hpp"

#include <algorithm>

#include "atoll/base/error.hpp"

namespace Atoll::recording {
namespace {

constexpr std::size_t kMaxSpans = std::size_t{1} << 26;

}  // namespace

ObjectsByTime::ObjectsByTime(const Recording& recording) : processes_(recording.processes.size()) {
  std::vector<std::vector<ObjectRange>> ranges(processes_.size());
  for (const ObjectRange& range : recording.ranges)
    if (range.process < ranges.size() && range.begin < range.end && range.from < range.until)
      ranges[range.process].push_back(range);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    processes_[i] = index(ranges[i]);
    const Process& process = recording.processes[i];
    if (process.forked_after == kNoEvent || process.parent >= i) continue;
    processes_[i].parent = process.parent;
    processes_[i].forked_after = process.forked_after;
  }
}

ObjectsByTime::Memory ObjectsByTime::index(std::vector<ObjectRange>& ranges) {
  Memory memory;
  std::vector<std::uint64_t>& bounds = memory.bounds;
  for (const ObjectRange& range : ranges) {
    bounds.push_back(range.begin);
    bounds.push_back(range.end);
  }
  std::ranges::sort(bounds);
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  std::ranges::stable_sort(ranges, {}, &ObjectRange::from);

  // First counts the spans of each piece, then fills them in.
  const auto pieces_of = [&](const ObjectRange& range) {
    const auto first = std::ranges::lower_bound(bounds, range.begin);
    return std::pair{first - bounds.begin(),
                     std::ranges::lower_bound(first, bounds.end(), range.end) - bounds.begin()};
  };
  std::vector<std::size_t>& first_span = memory.first_span;
  first_span.assign(bounds.size() + 1, 0);
  std::size_t spans = 0;
  for (const ObjectRange& range : ranges) {
    const auto [first, end] = pieces_of(range);
    spans += static_cast<std::size_t>(end - first);
    if (spans > kMaxSpans)
      throw Error::input("the recording", "has too many objects at the same addresses",
                         "record it again");
    for (auto piece = first; piece != end; ++piece)
      ++first_span[static_cast<std::size_t>(piece) + 1];
  }
  for (std::size_t i = 1; i < first_span.size(); ++i) first_span[i] += first_span[i - 1];
  memory.spans.resize(spans);
  std::vector<std::size_t> next(first_span.begin(), first_span.end());
  for (const ObjectRange& range : ranges) {
    const auto [first, end] = pieces_of(range);
    for (auto piece = static_cast<std::size_t>(first); piece != static_cast<std::size_t>(end);
         ++piece) {
      const std::size_t at = next[piece]++;
      const bool is_first = at == first_span[piece];
      const std::uint64_t before = is_first ? 0 : memory.spans[at - 1].last_until;
      memory.spans[at] = {range.from, range.until, std::max(range.until, before), range.object};
    }
  }
  return memory;
}

ObjectsByTime::Found ObjectsByTime::find_own(const Memory& memory, std::uint64_t address,
                                             std::uint64_t clock) {
  Found found{.end = ~std::uint64_t{0}, .until = kNoEvent};
  const auto after = std::ranges::upper_bound(memory.bounds, address);
  if (after != memory.bounds.end()) found.end = *after;
  if (after == memory.bounds.begin()) return found;
  found.begin = *(after - 1);
  const auto piece = static_cast<std::size_t>(after - memory.bounds.begin()) - 1;
  const auto first = memory.spans.begin() + static_cast<std::ptrdiff_t>(memory.first_span[piece]);
  const auto end = memory.spans.begin() + static_cast<std::ptrdiff_t>(memory.first_span[piece + 1]);
  const auto later = std::ranges::upper_bound(first, end, clock, {}, &Span::from);
  if (later != end) found.until = later->from;
  if (later != first) found.from = (later - 1)->from;
  for (auto at = later; at != first && (at - 1)->last_until > clock; --at) {
    const Span& span = *(at - 1);
    if (span.until <= clock) continue;
    ++found.count;
    found.object = span.object;
    found.until = std::min(found.until, span.until);
  }
  if (found.count != 1) found.from = clock;  // the result is unknown for earlier clocks
  return found;
}

ObjectsByTime::Found ObjectsByTime::find(std::uint32_t process, std::uint64_t address,
                                         std::uint64_t clock) const {
  Found found{.begin = address, .end = address, .from = clock, .until = clock};
  if (process >= processes_.size()) return found;
  found = find_own(processes_[process], address, clock);
  while (found.count == 0 && processes_[process].parent != kNone) {
    const Memory& child = processes_[process];
    process = child.parent;
    const Found inherited = find_own(processes_[process], address, child.forked_after);
    found.object = inherited.object;
    found.count = inherited.count;
    found.begin = std::max(found.begin, inherited.begin);
    found.end = std::min(found.end, inherited.end);
  }
  return found;
}

}  // namespace Atoll::recording
