#include "machine/last_level_caches.hpp"

namespace Atoll::detail {
namespace {

void add(const Place& place, int cache, int l2, std::uint64_t usual_bytes, LastLevelCaches& to) {
  if (place.kind == PlaceKind::l2) l2 = to.l2_count++;
  if (cache < 0 && (place.kind == PlaceKind::l3 || place.kind == PlaceKind::l2)) {
    cache = static_cast<int>(to.l3_bytes.size());
    to.l3_bytes.push_back(place.kind == PlaceKind::l2 ? 0
                          : place.cache_bytes > 0     ? place.cache_bytes
                                                      : usual_bytes);
  }
  if (place.kind == PlaceKind::pu) {
    to.of_unit.emplace(place.os_index, cache);
    to.l2_of_unit.emplace(place.os_index, l2);
  }
  for (const Place& child : place.children) add(child, cache, l2, usual_bytes, to);
}

}  // namespace

LastLevelCaches last_level_caches(const Machine& machine) {
  LastLevelCaches caches;
  add(machine.root(), -1, -1, machine.caches().l3_bytes, caches);
  return caches;
}

}  // namespace Atoll::detail
