// Converts hwloc's object tree to a place tree. hwloc attaches memories to nearby objects. In the
// place tree, the processing units of an initiator have their own numa place, which holds the
// memories that are local to exactly these units.
#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "machine/hwloc_read.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {
namespace {

std::optional<PlaceKind> kind_of(hwloc_obj_type_t type) {
  switch (type) {
    case HWLOC_OBJ_MACHINE:
      return PlaceKind::machine;
    case HWLOC_OBJ_GROUP:
    case HWLOC_OBJ_DIE:
      return PlaceKind::group;
    case HWLOC_OBJ_PACKAGE:
      return PlaceKind::package;
    case HWLOC_OBJ_L3CACHE:
      return PlaceKind::l3;
    case HWLOC_OBJ_L2CACHE:
      return PlaceKind::l2;
    case HWLOC_OBJ_L1CACHE:
      return PlaceKind::l1;
    case HWLOC_OBJ_CORE:
      return PlaceKind::core;
    case HWLOC_OBJ_PU:
      return PlaceKind::pu;
    default:
      return std::nullopt;
  }
}

bool has_kind(const Place& place, PlaceKind kind) {
  return place.kind == kind ||
         std::any_of(place.children.begin(), place.children.end(),
                     [&](const Place& child) { return has_kind(child, kind); });
}

/// The conversion of an object: its places, and memories that belong to the enclosing place.
struct Built {
  std::vector<Place> places;
  std::vector<NodeId> memories;
};

void append(std::vector<Place>& to, std::vector<Place> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

class Builder {
 public:
  explicit Builder(const Hwloc& hwloc) : hwloc_(hwloc) {}

  Built build(hwloc_obj_t object) const {
    if (object->type == HWLOC_OBJ_PU) return build_unit(object);
    Built inside;
    for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling) {
      Built below = build(child);
      append(inside.places, std::move(below.places));
      inside.memories.insert(inside.memories.end(), below.memories.begin(), below.memories.end());
    }
    std::vector<hwloc_obj_t> nodes;
    attached_nodes(object, nodes);
    for (const hwloc_obj_t node : nodes)
      if (hwloc_.is_memory(node) && hwloc_.may_allocate_on(node_id(node)))
        inside.memories.push_back(node_id(node));
    // No usable processing unit is inside, so the memories are equally near to all surrounding
    // units.
    if (inside.places.empty()) return inside;
    return enclose(object, std::move(inside), is_region(object, nodes));
  }

 private:
  Built build_unit(hwloc_obj_t object) const {
    Built built;
    if (!hwloc_.may_run_on(static_cast<int>(object->os_index))) return built;
    Place unit;
    unit.kind = PlaceKind::pu;
    unit.os_index = static_cast<int>(object->os_index);
    built.places.push_back(std::move(unit));
    return built;
  }

  /// True if the processing units below belong to exactly one of these nodes. If they belong to
  /// several, the nodes split the objects below, and no place has exactly one node's units.
  bool is_region(hwloc_obj_t object, const std::vector<hwloc_obj_t>& nodes) const {
    std::set<NodeId> initiators;
    for (const auto& [unit, initiator] : hwloc_.node_of_pu)
      if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(unit)) != 0 &&
          std::any_of(nodes.begin(), nodes.end(),
                      [&, of = initiator](hwloc_obj_t node) { return node_id(node) == of; }))
        initiators.insert(initiator);
    return initiators.size() == 1;
  }

  /// Caches and groups are omitted if they violate the order of kinds: a cache around packages, a
  /// group in a package.
  static bool is_optional(PlaceKind kind) {
    return kind == PlaceKind::group || (kind >= PlaceKind::l3 && kind <= PlaceKind::l1);
  }

  static void adopt(Place& place, Place child) {
    const bool stays = !is_optional(child.kind) && child.kind != PlaceKind::numa;
    if (stays || may_hold(place.kind, child.kind)) {
      place.children.push_back(std::move(child));
      return;
    }
    place.memories.insert(place.memories.end(), child.memories.begin(), child.memories.end());
    for (Place& below : child.children) adopt(place, std::move(below));
  }

  static Place place_of(PlaceKind kind, Built inside) {
    Place place;
    place.kind = kind;
    place.memories = std::move(inside.memories);
    for (Place& child : inside.places) adopt(place, std::move(child));
    std::sort(place.memories.begin(), place.memories.end());
    return place;
  }

  static Built enclose(hwloc_obj_t object, Built inside, bool region) {
    std::optional<PlaceKind> kind = kind_of(object->type);
    const bool splits =
        std::any_of(inside.places.begin(), inside.places.end(),
                    [](const Place& place) { return has_kind(place, PlaceKind::numa); });
    region = region && !splits;
    if (region && kind == PlaceKind::group) kind = PlaceKind::numa;  // same processing units
    if (region && kind && *kind < PlaceKind::numa) {
      Place numa = place_of(PlaceKind::numa, std::move(inside));
      inside = {{std::move(numa)}, {}};
    }
    const bool shown =
        kind && (!is_optional(*kind) ||
                 std::all_of(inside.places.begin(), inside.places.end(),
                             [&](const Place& child) { return may_hold(*kind, child.kind); }));
    if (!shown) return inside;
    const bool around = region && *kind > PlaceKind::numa;  // a cache or core is the region: its
                                                            // numa place encloses it
    std::vector<NodeId> memories =
        around ? std::exchange(inside.memories, {}) : std::vector<NodeId>{};
    Place place = place_of(*kind, std::move(inside));
    if (*kind == PlaceKind::package)
      place.os_index = static_cast<int>(
          object->os_index > INT_MAX ? object->logical_index : object->os_index);  // -1 if unknown
    if (*kind >= PlaceKind::l3 && *kind <= PlaceKind::l1)
      place.cache_bytes = or_unknown(object->attr->cache.size);
    if (around) place = place_of(PlaceKind::numa, {{std::move(place)}, std::move(memories)});
    return {{std::move(place)}, {}};
  }

  const Hwloc& hwloc_;
};

}  // namespace

Place build_places(const Hwloc& hwloc) {
  Built built = Builder(hwloc).build(hwloc_get_root_obj(hwloc.topology));
  Place root = built.places.empty() ? Place{} : std::move(built.places.front());
  number_places(root);
  return root;
}

}  // namespace Atoll::detail
