#include "recording/objects/object_ranges.hpp"

#include <algorithm>
#include <tuple>

namespace Atoll::recording {

void ObjectRanges::remove(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                          std::uint64_t clock) {
  RangeMap<Owner>& now = processes_[process].now;
  now.for_each(begin, end, [&](std::uint64_t first, std::uint64_t last, const Owner& owner) {
    if (owner.from < clock)
      ended_.push_back({process, owner.object, first, last, owner.from, clock});
  });
  now.erase(begin, end);
}

void ObjectRanges::put(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                       std::uint32_t object, std::uint64_t clock) {
  remove(process, begin, end, clock);
  processes_[process].now.assign(begin, end, {clock, object});
  processes_[process].known.insert(begin, end);
}

void ObjectRanges::put_preexisting(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                                   std::uint32_t object, std::uint64_t clock) {
  remove(process, begin, end, clock);
  Memory& memory = processes_[process];
  memory.now.assign(begin, end, {0, object});
  memory.known.for_each(begin, end, [&](std::uint64_t first, std::uint64_t last) {
    memory.now.assign(first, last, {clock, object});
  });
  memory.known.insert(begin, end);
}

void ObjectRanges::put_inside(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                              std::uint32_t object) {
  processes_[process].now.update_known(begin, end, [&](Owner& owner) { owner.object = object; });
}

std::vector<ObjectRange> ObjectRanges::take() {
  for (std::uint32_t process = 0; process < processes_.size(); ++process)
    for (const auto& [begin, range] : processes_[process].now.all())
      ended_.push_back({process, range.value.object, begin, range.end, range.value.from, kNoEvent});
  std::ranges::sort(ended_, {}, [](const ObjectRange& range) {
    return std::tie(range.process, range.begin, range.from);
  });
  return std::move(ended_);
}

}  // namespace Atoll::recording
