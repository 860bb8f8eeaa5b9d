// Disjoint ranges in a map for each process.
#include "trace/object_index.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace Atoll::trace {

void ObjectIndex::add_process(std::uint32_t parent, std::uint32_t other) {
  processes_.push_back({.parent = parent, .other = other, .ranges = {}, .reused = {}});
}

void ObjectIndex::put(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                      std::uint32_t object) {
  if (begin >= end) return;
  std::map<std::uint64_t, Range>& ranges = processes_[process].ranges;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin()) {  // what reaches into the new range keeps what is before, and behind
    Range& before = std::prev(at)->second;
    const Range whole = before;
    if (whole.end > begin) {
      before.end = begin;
      if (std::prev(at)->first == begin) ranges.erase(std::prev(at));
      if (whole.end > end) ranges.emplace(end, whole);
    }
  }
  at = ranges.lower_bound(begin);
  while (at != ranges.end() && at->first < end) {
    const Range covered = at->second;
    at = ranges.erase(at);
    if (covered.end > end) ranges.emplace(end, covered);
  }
  ranges.emplace(begin, Range{.end = end, .object = object});
}

void ObjectIndex::note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                             const std::function<bool(std::uint32_t object)>& found) {
  const std::map<std::uint64_t, Range>& ranges = processes_[process].ranges;
  std::map<std::uint64_t, std::uint64_t>& reused = processes_[process].reused;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin()) --at;
  for (; at != ranges.end() && at->first < end; ++at) {
    if (at->second.end <= begin || !found(at->second.object)) continue;
    std::uint64_t first = std::max(begin, at->first), last = std::min(end, at->second.end);
    auto other = reused.upper_bound(first);  // one range with all that it touches
    if (other != reused.begin() && std::prev(other)->second >= first) --other;
    while (other != reused.end() && other->first <= last) {
      first = std::min(first, other->first);
      last = std::max(last, other->second);
      other = reused.erase(other);
    }
    reused.emplace(first, last);
  }
}

std::uint64_t ObjectIndex::reused_lines(std::uint32_t process, std::uint64_t page) const {
  if (process >= processes_.size()) return 0;
  const std::map<std::uint64_t, std::uint64_t>& reused = processes_[process].reused;
  const std::uint64_t page_begin = page * kPageBytes, page_end = page_begin + kPageBytes;
  std::uint64_t lines = 0;
  auto at = reused.upper_bound(page_begin);
  if (at != reused.begin()) --at;
  for (; at != reused.end() && at->first < page_end; ++at) {
    if (at->second <= page_begin) continue;
    const std::uint64_t first = (std::max(at->first, page_begin) - page_begin) / kLineBytes;
    const std::uint64_t last = (std::min(at->second, page_end) - 1 - page_begin) / kLineBytes;
    for (std::uint64_t line = first; line <= last; ++line) lines |= std::uint64_t{1} << line;
  }
  return lines;
}

void ObjectIndex::fill(const Process& process, std::uint64_t page,
                       std::span<std::uint32_t> lines) const {
  const std::uint64_t page_begin = page * kPageBytes, page_end = page_begin + kPageBytes;
  std::array<std::uint64_t, kLinesOfPage> most{};  // bytes that a line's object has of it
  auto at = process.ranges.upper_bound(page_begin);
  if (at != process.ranges.begin()) --at;
  const std::vector<std::uint32_t> before(lines.begin(), lines.end());
  for (; at != process.ranges.end() && at->first < page_end; ++at) {
    const std::uint64_t begin = std::max(at->first, page_begin);
    const std::uint64_t end = std::min(at->second.end, page_end);
    if (begin >= end) continue;
    for (std::uint64_t line = (begin - page_begin) / kLineBytes;
         line * kLineBytes < end - page_begin; ++line) {
      const std::uint64_t line_begin = page_begin + line * kLineBytes;
      const std::uint64_t bytes =
          std::min(end, line_begin + kLineBytes) - std::max(begin, line_begin);
      if (before[line] != kNone || bytes <= most[line]) continue;
      most[line] = bytes;
      lines[line] = at->second.object;
    }
  }
}

std::span<const ObjectLines> ObjectIndex::lines_of(std::uint32_t process, std::uint64_t page) {
  std::array<std::uint32_t, kLinesOfPage> lines;
  lines.fill(kNone);
  // A parent comes before its children, so this ends.
  for (std::uint32_t from = process; from < processes_.size(); from = processes_[from].parent) {
    fill(processes_[from], page, lines);
    if (std::ranges::find(lines, kNone) == lines.end()) break;
    if (processes_[from].parent >= from) break;
  }
  if (process < processes_.size()) std::ranges::replace(lines, kNone, processes_[process].other);
  found_.clear();
  for (int line = 0; line < kLinesOfPage; ++line) {
    if (found_.empty() || found_.back().object != lines[line])
      found_.push_back({.object = lines[line], .first_line = static_cast<std::uint8_t>(line)});
    found_.back().end_line = static_cast<std::uint8_t>(line + 1);
  }
  return found_;
}

}  // namespace Atoll::trace
