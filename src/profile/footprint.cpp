// Pages by epoch, from the epochs that are kept with first touches.
#include "profile/footprint.hpp"

#include <algorithm>
#include <bitset>
#include <map>

#include "profile/pack.hpp"

namespace Atoll::profile {
namespace {

void add(std::vector<std::uint64_t>& to, std::uint64_t epochs) {
  for (std::size_t epoch = 0; epoch < to.size(); ++epoch) to[epoch] += epochs >> epoch & 1U;
}

}  // namespace

Footprint footprint(const Profile& profile) {
  const trace::Recording& run = profile.recording;
  Footprint result{.program = std::vector<std::uint64_t>(static_cast<std::size_t>(run.epochs))};
  result.of_objects.assign(run.objects.size(), result.program);
  std::map<std::pair<std::uint32_t, std::uint64_t>, const FirstTouch*> touches;
  for (const FirstTouch& touch : profile.first_touch) {
    touches[{touch.process, touch.first_page}] = &touch;
    for (const std::uint64_t epochs : touch.epochs) add(result.program, epochs);
  }
  Unpacker unpacker;
  std::bitset<kChunkPages> accessed;
  for (std::size_t i = 0; i < profile.chunks.size(); ++i) {
    const PackedChunk& packed = profile.chunks[i];
    for (const std::uint32_t page : unpacker.unpack(packed).pages) accessed.set(page);
    const bool last = i + 1 == profile.chunks.size() ||
                      profile.chunks[i + 1].object != packed.object ||
                      profile.chunks[i + 1].first_page != packed.first_page;
    if (!last) continue;
    const auto found = touches.find({run.objects[packed.object].process, packed.first_page});
    if (found != touches.end())
      for (std::size_t page = 0; page < found->second->pages.size(); ++page)
        if (accessed.test(found->second->pages[page]))
          add(result.of_objects[packed.object], found->second->epochs[page]);
    accessed.reset();
  }
  return result;
}

}  // namespace Atoll::profile
