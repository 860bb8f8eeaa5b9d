// Names of the kinds of places, and views of a tree with hidden levels.
#include "atoll/machine/place.hpp"

#include <algorithm>
#include <utility>

namespace Atoll {
namespace {

bool contains(const std::vector<PlaceKind>& kinds, PlaceKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool holds_processing_units(const Place& place) {
  return std::any_of(place.children.begin(), place.children.end(),
                     [](const Place& child) { return child.kind == PlaceKind::pu; });
}

Place view(const Place& place, const std::vector<PlaceKind>& hidden) {
  Place shown{place.kind, place.index, place.os_index, place.cache_bytes, place.memories, {}};
  for (const Place& child : place.children) {
    if (child.kind == PlaceKind::pu) {
      if (!contains(hidden, PlaceKind::pu)) shown.children.push_back(child);
      continue;
    }
    Place below = view(child, hidden);
    if (!contains(hidden, child.kind) || holds_processing_units(child)) {
      shown.children.push_back(std::move(below));
      continue;
    }
    shown.memories.insert(shown.memories.end(), below.memories.begin(), below.memories.end());
    std::move(below.children.begin(), below.children.end(), std::back_inserter(shown.children));
  }
  std::sort(shown.memories.begin(), shown.memories.end());
  return shown;
}

}  // namespace

std::string_view to_string(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::machine:
      return "machine";
    case PlaceKind::group:
      return "group";
    case PlaceKind::package:
      return "package";
    case PlaceKind::numa:
      return "numa";
    case PlaceKind::l3:
      return "l3";
    case PlaceKind::l2:
      return "l2";
    case PlaceKind::l1:
      return "l1";
    case PlaceKind::core:
      return "core";
    case PlaceKind::pu:
      return "pu";
  }
  return "?";
}

Place hide(const Place& tree, const std::vector<PlaceKind>& hidden) {
  return view(tree, hidden);
}

Place hide(const Place& tree, std::initializer_list<PlaceKind> hidden) {
  return view(tree, std::vector<PlaceKind>(hidden));
}

}  // namespace Atoll
