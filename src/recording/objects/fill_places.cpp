#include "recording/objects/fill_places.hpp"

#include <algorithm>

namespace Atoll::recording {

void FillPlaces::add_thread(const RegionView& region, std::uint32_t process,
                            const record::ThreadRecord& thread) {
  auto& pages = pages_[process];
  region.for_each<record::PageCounters>(
      thread.blocks.load(), [&](const record::PageCounters& block, record::Offset) {
        if (block.first_access == record::kTakenBack) return;
        First& first = pages.try_emplace(block.page, First{record::kTakenBack, 0}).first->second;
        if (block.first_access < first.access) first = {block.first_access, block.place};
      });
}

std::map<std::uint32_t, FillPlaces::Place> FillPlaces::of_objects(ObjectIndex& index) const {
  std::map<std::uint32_t, std::map<Place, std::uint64_t>> pages_of;  // by object
  for (const auto& [process, pages] : pages_)
    for (const auto& [page, first] : pages) {
      if (first.place == 0) continue;
      std::uint32_t last = kNone;
      for (const ObjectLines& lines : index.lines_of(process, page)) {
        if (lines.object == kNone || lines.object == last) continue;
        last = lines.object;
        ++pages_of[last][{process, first.place}];
      }
    }
  std::map<std::uint32_t, Place> found;
  for (const auto& [object, places] : pages_of)
    found[object] =
        std::ranges::max_element(places, {}, [](const auto& one) { return one.second; })->first;
  return found;
}

}  // namespace Atoll::recording
