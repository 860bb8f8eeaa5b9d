#include "recording/objects/object_index.hpp"

#include <algorithm>

namespace Atoll::recording {

void ObjectIndex::add_process(std::uint32_t parent, std::uint32_t other) {
  processes_.push_back({.parent = parent, .other = other, .ranges = {}, .reused = {}});
}

void ObjectIndex::note_reuse(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                             const std::function<bool(std::uint32_t object)>& found) {
  Process& its = processes_[process];
  its.ranges.for_each(begin, end, [&](std::uint64_t first, std::uint64_t last, Owner owner) {
    if (found(owner.object)) its.reused.insert(first, last);
  });
}

std::uint64_t ObjectIndex::reused_lines(std::uint32_t process, std::uint64_t page) const {
  if (process >= processes_.size()) return 0;
  const std::uint64_t page_begin = page * kPageBytes, page_end = page_begin + kPageBytes;
  std::uint64_t lines = 0;
  processes_[process].reused.for_each(
      page_begin, page_end, [&](std::uint64_t begin, std::uint64_t end) {
        const std::uint64_t first = (begin - page_begin) / kLineBytes;
        const std::uint64_t last = (end - 1 - page_begin) / kLineBytes;
        for (std::uint64_t line = first; line <= last; ++line) lines |= std::uint64_t{1} << line;
      });
  return lines;
}

void ObjectIndex::fill(const Process& process, std::uint64_t page, Words& words) {
  const std::uint64_t page_begin = page * kPageBytes, page_end = page_begin + kPageBytes;
  const auto before = words.object;
  process.ranges.for_each(
      page_begin, page_end, [&](std::uint64_t begin, std::uint64_t end, Owner owner) {
        for (std::size_t word = (begin - page_begin) / 8; word * 8 < end - page_begin; ++word) {
          if (before[word] != kNone) continue;
          if (words.object[word] == kNone || words.around[word]) {
            words.object[word] = owner.object;
            words.around[word] = owner.around;
          } else if (!owner.around) {
            words.further.emplace_back(word, owner.object);
          }
        }
      });
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
  const RangeMap<Owner>& ranges = processes_[process].ranges;
  const auto at = ranges.find(page * kPageBytes);
  if (at != ranges.all().end() && at->second.end >= (page + 1) * kPageBytes) {
    found_.push_back({.object = at->second.value.object, .end_line = kLinesOfPage});
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

}  // namespace Atoll::recording
