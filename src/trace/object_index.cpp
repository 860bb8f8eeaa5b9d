// Address ranges by object, without overlaps: the later of two takes what both want.
#include <algorithm>

#include "trace/read_events.hpp"

namespace Atoll::trace {

void ObjectIndex::set_other(std::uint32_t process, std::uint32_t object) {
  processes_[process].other = object;
}

void ObjectIndex::add(std::uint32_t process, std::uint64_t begin, std::uint64_t bytes,
                      std::uint32_t object) {
  if (bytes == 0 || begin + bytes < begin) return;
  auto& ranges = processes_[process].ranges;
  const std::uint64_t end = begin + bytes;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin()) --at;
  while (at != ranges.end() && at->first < end) {
    const auto [old_begin, old] = *at;
    if (old.end <= begin) {
      ++at;
      continue;
    }
    at = ranges.erase(at);
    if (old_begin < begin) ranges.emplace(old_begin, Range{begin, old.object});
    if (old.end > end) at = ranges.emplace(end, old).first;
  }
  ranges.emplace(begin, Range{end, object});
}

std::span<const ObjectLines> ObjectIndex::lines_of(std::uint32_t process, std::uint64_t page) {
  lines_.clear();
  const OfProcess& all = processes_[process];
  const std::uint64_t begin = page * kPageBytes;
  std::array<std::uint32_t, kLinesOfPage> owners;
  std::array<std::uint64_t, kLinesOfPage> most{};  // bytes of the line that its owner has
  owners.fill(all.other);
  auto at = all.ranges.upper_bound(begin);
  if (at != all.ranges.begin()) --at;
  for (; at != all.ranges.end() && at->first < begin + kPageBytes; ++at) {
    const std::uint64_t first = std::max(at->first, begin);
    const std::uint64_t end = std::min(at->second.end, begin + kPageBytes);
    if (first >= end) continue;
    for (std::uint64_t line = (first - begin) / kLineBytes; line * kLineBytes < end - begin;
         ++line) {
      const std::uint64_t line_begin = begin + line * kLineBytes;
      const std::uint64_t bytes =
          std::min(end, line_begin + kLineBytes) - std::max(first, line_begin);
      if (bytes <= most[line]) continue;
      most[line] = bytes;
      owners[line] = at->second.object;
    }
  }
  for (int line = 0; line < kLinesOfPage; ++line) {
    if (lines_.empty() || lines_.back().object != owners[line])
      lines_.push_back({.object = owners[line], .first_line = static_cast<std::uint8_t>(line)});
    lines_.back().end_line = static_cast<std::uint8_t>(line + 1);
  }
  return lines_;
}

}  // namespace Atoll::trace
