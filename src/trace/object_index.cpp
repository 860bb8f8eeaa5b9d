// Each process has a map of disjoint ranges.
#include "trace/object_index.hpp"

#include <algorithm>
#include <iterator>

namespace Atoll::trace {

void ObjectIndex::add_process(std::uint32_t parent, std::uint32_t other) {
  processes_.push_back({.parent = parent, .other = other, .ranges = {}, .reused = {}});
}

void ObjectIndex::put(std::uint32_t process, std::uint64_t begin, Range range) {
  const std::uint64_t end = range.end;
  if (begin >= end) return;
  std::map<std::uint64_t, Range>& ranges = processes_[process].ranges;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin()) {  // an older range keeps the parts before and after the new one
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
  ranges.emplace(begin, range);
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
    auto other = reused.upper_bound(first);  // merges with all ranges that it touches
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

void ObjectIndex::fill(const Process& process, std::uint64_t page, Words& words) {
  const std::uint64_t page_begin = page * kPageBytes, page_end = page_begin + kPageBytes;
  const auto before = words.object;
  auto at = process.ranges.upper_bound(page_begin);
  if (at != process.ranges.begin()) --at;
  for (; at != process.ranges.end() && at->first < page_end; ++at) {
    const Range& range = at->second;
    const std::uint64_t begin = std::max(at->first, page_begin);
    const std::uint64_t end = std::min(range.end, page_end);
    if (begin >= end) continue;
    for (std::size_t word = (begin - page_begin) / 8; word * 8 < end - page_begin; ++word) {
      if (before[word] != kNone) continue;
      if (words.object[word] == kNone || words.around[word]) {
        words.object[word] = range.object;
        words.around[word] = range.around;
      } else if (!range.around) {
        words.further.emplace_back(word, range.object);
      }
    }
  }
}

void ObjectIndex::list(const Words& words) {
  constexpr std::size_t kWordsOfLine = kLineBytes / 8;
  bool sole = false;  // true if the last object's lines have no other owner
  for (std::size_t line = 0; line < kLinesOfPage; ++line) {
    const std::size_t before = found_.size(), first = line * kWordsOfLine;
    const auto number = static_cast<std::uint8_t>(line), end = static_cast<std::uint8_t>(line + 1);
    const auto give = [&](std::size_t word, std::uint32_t object) {
      auto at = std::find_if(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end(),
                             [&](const ObjectLines& some) { return some.object == object; });
      if (at == found_.end()) at = found_.insert(at, {object, number, end, 0});
      at->words |= static_cast<std::uint8_t>(1U << (word - first));
    };
    for (std::size_t word = first; word < first + kWordsOfLine; ++word)
      give(word, words.object[word]);
    for (const auto& [word, object] : words.further)
      if (word / kWordsOfLine == line) give(word, object);
    const bool sole_again = found_.size() == before + 1;
    if (sole && sole_again && found_[before - 1].object == found_[before].object) {
      found_.pop_back();
      found_.back().end_line = end;
    }
    sole = sole_again;
  }
}

std::span<const ObjectLines> ObjectIndex::lines_of(std::uint32_t process, std::uint64_t page) {
  found_.clear();
  if (process >= processes_.size()) {
    found_.push_back({.object = kNone, .end_line = kLinesOfPage});
    return found_;
  }
  const std::map<std::uint64_t, Range>& ranges = processes_[process].ranges;
  const auto at = ranges.upper_bound(page * kPageBytes);
  if (at != ranges.begin() && std::prev(at)->second.end >= (page + 1) * kPageBytes) {
    found_.push_back({.object = std::prev(at)->second.object, .end_line = kLinesOfPage});
    return found_;
  }
  Words words;
  // A parent has a smaller number than its children, so the loop ends.
  for (std::uint32_t from = process;; from = processes_[from].parent) {
    fill(processes_[from], page, words);
    if (std::ranges::find(words.object, kNone) == words.object.end()) break;
    if (processes_[from].parent >= from) break;
  }
  std::ranges::replace(words.object, kNone, processes_[process].other);
  list(words);
  return found_;
}

}  // namespace Atoll::trace
