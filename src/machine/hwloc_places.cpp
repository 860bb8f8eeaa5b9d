// Turns hwloc's object tree into a place tree. hwloc attaches memories to the objects that are near
// to them. Here, the processing units of an initiator get a numa place of their own, which holds
// the memories that are local to exactly them.
#include <algorithm>
#include <climits>
#include <string_view>
#include <utility>

#include "machine/hwloc_read.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {
namespace {

/// The NUMA nodes attached to an object, those behind memory-side caches included.
void attached_nodes(hwloc_obj_t object, std::vector<hwloc_obj_t>& nodes) {
  for (hwloc_obj_t child = object->memory_first_child; child != nullptr;
       child = child->next_sibling) {
    if (child->type == HWLOC_OBJ_NUMANODE) nodes.push_back(child);
    attached_nodes(child, nodes);
  }
}

bool is_ordinary(hwloc_obj_t node) {
  const bool named = node->subtype != nullptr && std::string_view(node->subtype) != "DRAM";
  return !named && hwloc_obj_get_info_by_name(node, "DAXDevice") == nullptr;
}

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

/// What an object becomes: places, and memories that belong to the enclosing place.
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
    // Nothing runs here, so the memories are as near to everything around.
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

  /// True if processing units below belong to one of these nodes.
  bool is_region(hwloc_obj_t object, const std::vector<hwloc_obj_t>& nodes) const {
    return std::any_of(hwloc_.node_of_pu.begin(), hwloc_.node_of_pu.end(), [&](const auto& entry) {
      return hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(entry.first)) != 0 &&
             std::any_of(nodes.begin(), nodes.end(),
                         [&](hwloc_obj_t node) { return node_id(node) == entry.second; });
    });
  }

  /// Caches and groups may be left out if they lie out of order: a cache around packages, a group
  /// in a package.
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
    if (region && kind == PlaceKind::group) kind = PlaceKind::numa;  // the same processing units
    if (region && kind && *kind < PlaceKind::numa) {
      Place numa = place_of(PlaceKind::numa, std::move(inside));
      inside = {{std::move(numa)}, {}};
    }
    const bool shown =
        kind && (!is_optional(*kind) ||
                 std::all_of(inside.places.begin(), inside.places.end(),
                             [&](const Place& child) { return may_hold(*kind, child.kind); }));
    if (!shown) return inside;
    const bool around =
        region && *kind > PlaceKind::numa;  // true if the region is a cache's or a core's
    std::vector<NodeId> memories =
        around ? std::exchange(inside.memories, {}) : std::vector<NodeId>{};
    Place place = place_of(*kind, std::move(inside));
    if (*kind == PlaceKind::package)
      place.os_index = static_cast<int>(
          object->os_index > INT_MAX ? object->logical_index : object->os_index);  // unknown: -1
    if (*kind >= PlaceKind::l3 && *kind <= PlaceKind::l1)
      place.cache_bytes = or_unknown(object->attr->cache.size);
    if (around) place = place_of(PlaceKind::numa, {{std::move(place)}, std::move(memories)});
    return {{std::move(place)}, {}};
  }

  const Hwloc& hwloc_;
};

}  // namespace

namespace {

/// Gives node numbers to processing units that belong to no NUMA node: one for those of a package,
/// or of the smallest object around them that has memories elsewhere. No NUMA node has this number.
class NumbersOfOurOwn {
 public:
  explicit NumbersOfOurOwn(hwloc_topology_t topology)
      : taken_(hwloc_bitmap_dup(hwloc_topology_get_complete_nodeset(topology))) {}
  NumbersOfOurOwn(const NumbersOfOurOwn&) = delete;
  NumbersOfOurOwn& operator=(const NumbersOfOurOwn&) = delete;
  ~NumbersOfOurOwn() { hwloc_bitmap_free(taken_); }

  NodeId of(hwloc_obj_t unit) {
    hwloc_obj_t around = unit;
    while (around->parent != nullptr && around->type != HWLOC_OBJ_PACKAGE &&
           hwloc_bitmap_iszero(around->nodeset) != 0)
      around = around->parent;
    const auto [known, is_new] = known_.try_emplace(around);
    if (is_new) {
      const auto number = static_cast<unsigned>(hwloc_bitmap_next_unset(taken_, -1));
      hwloc_bitmap_set(taken_, number);
      known->second = NodeId{number};
    }
    return known->second;
  }

 private:
  hwloc_bitmap_t taken_;
  std::map<hwloc_obj_t, NodeId> known_;
};

}  // namespace

std::map<int, NodeId> initiators_by_locality(hwloc_topology_t topology) {
  NumbersOfOurOwn own(topology);
  std::map<int, NodeId> node_of_pu;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    std::optional<NodeId> node;
    for (hwloc_obj_t around = unit; around != nullptr && !node; around = around->parent) {
      std::vector<hwloc_obj_t> nodes;
      attached_nodes(around, nodes);
      if (nodes.empty()) continue;
      const hwloc_obj_t nearest =
          *std::min_element(nodes.begin(), nodes.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
            return std::pair(!is_ordinary(a), a->os_index) <
                   std::pair(!is_ordinary(b), b->os_index);
          });
      node = node_id(nearest);
    }
    node_of_pu[static_cast<int>(unit->os_index)] = node ? *node : own.of(unit);
  }
  return node_of_pu;
}

Place build_places(const Hwloc& hwloc) {
  Built built = Builder(hwloc).build(hwloc_get_root_obj(hwloc.topology));
  Place root = built.places.empty() ? Place{} : std::move(built.places.front());
  number_places(root);
  return root;
}

}  // namespace Atoll::detail
