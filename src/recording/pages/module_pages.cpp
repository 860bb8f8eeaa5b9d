#include "recording/pages/module_pages.hpp"

#include <algorithm>
#include <iterator>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

void ModulePages::add_module(std::uint32_t process, std::uint64_t begin, std::uint64_t end) {
  ranges_[process].push_back({begin, end});
}

void ModulePages::sort_ranges() {
  if (ranges_sorted_) return;
  for (std::vector<Range>& ranges : ranges_) {
    std::ranges::sort(ranges, {}, &Range::begin);
    for (std::size_t i = 1; i < ranges.size(); ++i)
      ranges[i].end = std::max(ranges[i].end, ranges[i - 1].end);
  }
  ranges_sorted_ = true;
}

void ModulePages::add_thread(const RegionView& region, std::uint32_t process,
                             const record::ThreadRecord& thread) {
  region.for_each<record::PageCounters>(
      thread.blocks.load(),
      [&](const record::PageCounters& block, record::Offset) { note(process, block.page); });
  region.for_each<record::PageRecord>(
      thread.pages.load(),
      [&](const record::PageRecord& page, record::Offset) { note(process, page.page); });
}

void ModulePages::note(std::uint32_t process, std::uint64_t page) {
  sort_ranges();
  const std::uint64_t begin = page * kPageBytes;
  for (std::uint32_t i = process; i != kNone; i = parents_[i]) {  // descendants inherit modules
    const std::vector<Range>& ranges = ranges_[i];
    const auto after = std::ranges::upper_bound(ranges, begin + kPageBytes - 1, {}, &Range::begin);
    if (after != ranges.begin() && std::prev(after)->end > begin) pages_[i].numbers.push_back(page);
  }
}

bool ModulePages::accessed(std::uint32_t process, std::uint64_t begin, std::uint64_t end) {
  Pages& pages = pages_[process];
  if (!pages.sorted) {
    std::ranges::sort(pages.numbers);
    pages.sorted = true;
  }
  const auto first = std::ranges::lower_bound(pages.numbers, begin / kPageBytes);
  return begin < end && first != pages.numbers.end() && *first <= (end - 1) / kPageBytes;
}

}  // namespace Atoll::recording
