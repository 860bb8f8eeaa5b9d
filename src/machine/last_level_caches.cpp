#include "machine/last_level_caches.hpp"

namespace Atoll::detail {
namespace {

void add(const Place& place, int cache, std::uint64_t usual_bytes, LastLevelCaches& to) {
  if (cache < 0 && (place.kind == PlaceKind::l3 || place.kind == PlaceKind::l2)) {
    cache = static_cast<int>(to.l3_bytes.size());
    to.l3_bytes.push_back(place.kind == PlaceKind::l2 ? 0
                          : place.cache_bytes > 0     ? place.cache_bytes
                                                      : usual_bytes);
  }
  if (place.kind == PlaceKind::pu) to.of_unit.emplace(place.os_index, cache);
  for (const Place& child : place.children) add(child, cache, usual_bytes, to);
}

}  // namespace

LastLevelCaches last_level_caches(const Machine& machine) {
  LastLevelCaches caches;
  add(machine.root(), -1, machine.caches().l3_bytes, caches);
  return caches;
}

}  // namespace Atoll::detail
