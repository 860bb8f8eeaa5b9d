// Walks and numbers place trees.
#include "machine/place_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::detail {
namespace {

void walk_from(const Place& place, Path& path,
               const std::function<void(const Place&, const Path&)>& visit) {
  visit(place, path);
  path.push_back(&place);
  for (const Place& child : place.children) walk_from(child, path, visit);
  path.pop_back();
}

void number_from(Place& place, std::map<PlaceKind, int>& next) {
  place.index = next[place.kind]++;
  for (Place& child : place.children) number_from(child, next);
}

/// Returns the enclosing place of that kind, or null.
const Place* around(const Path& path, PlaceKind kind) {
  for (const Place* place : path)
    if (place->kind == kind) return place;
  return nullptr;
}

/// Shortens `path` to its common prefix with `other`.
void keep_common(Path& path, const Path& other) {
  const auto [end, unused] = std::mismatch(path.begin(), path.end(), other.begin(), other.end());
  path.erase(end, path.end());
}

}  // namespace

std::optional<PlaceKind> place_kind(std::string_view name) {
  for (const PlaceKind kind : kPlaceKinds)
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

bool may_hold(PlaceKind outer, PlaceKind inner) {
  if (outer == PlaceKind::numa && inner == PlaceKind::package) return true;
  return inner > outer || (inner == PlaceKind::group && outer == PlaceKind::group);
}

void walk(const Place& root, const std::function<void(const Place&, const Path&)>& visit) {
  Path path;
  walk_from(root, path, visit);
}

void number_places(Place& root) {
  std::map<PlaceKind, int> next;
  number_from(root, next);
}

std::vector<Processor> list_processors(
    const Place& root, const std::function<NodeId(const Place& pu, const Path&)>& node_of) {
  int cores = 0;
  walk(root, [&](const Place& place, const Path&) { cores += place.kind == PlaceKind::core; });
  std::vector<Processor> processors;
  walk(root, [&](const Place& place, const Path& path) {
    if (place.kind != PlaceKind::pu) return;
    const Place* core = around(path, PlaceKind::core);
    const Place* package = around(path, PlaceKind::package);
    processors.push_back({place.os_index, core != nullptr ? core->index : cores + place.index,
                          package != nullptr ? package->index : 0, node_of(place, path)});
  });
  return processors;
}

std::optional<NodeId> default_initiator(const Path& path) {
  for (auto place = path.rbegin(); place != path.rend(); ++place)
    if (!(*place)->memories.empty()) return (*place)->memories.front();
  return std::nullopt;
}

CacheFigures caches_of(const Place& root) {
  CacheFigures caches;
  const Place* place = &root;
  while (!place->children.empty()) {
    place = &place->children.front();
    if (place->kind == PlaceKind::l1) caches.l1_bytes = place->cache_bytes;
    if (place->kind == PlaceKind::l2) caches.l2_bytes = place->cache_bytes;
    if (place->kind != PlaceKind::l3) continue;
    caches.l3_bytes = place->cache_bytes;
    caches.l3_shared_by = 0;
    walk(*place, [&](const Place& below, const Path&) {
      if (below.kind == PlaceKind::pu) ++caches.l3_shared_by;
    });
  }
  return caches;
}

CommonPlaces::CommonPlaces(const Machine::Data& data) {
  std::map<int, NodeId> node_of_pu;
  for (const Processor& processor : data.processors)
    node_of_pu[processor.os_index] = processor.node;
  walk(data.root, [&](const Place& place, const Path& path) {
    const auto level = std::count_if(path.begin(), path.end(), [](const Place* around) {
      return around->kind == PlaceKind::group;
    });
    names_[&place] = place.kind == PlaceKind::group ? fmt::format("group {}", level + 1)
                                                    : std::string(to_string(place.kind));
    Path inside = path;
    inside.push_back(&place);
    for (const NodeId memory : place.memories) of_memory_[memory] = inside;
    if (place.kind != PlaceKind::pu) return;
    const auto [known, is_new] = of_initiator_.try_emplace(node_of_pu[place.os_index], inside);
    if (!is_new) keep_common(known->second, inside);
  });
}

const std::string& CommonPlaces::name(NodeId initiator, NodeId target) const {
  const Path& a = of_initiator_.at(initiator);
  const Path& b = of_memory_.at(target);
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return names_.at(*std::prev(end));
}

}  // namespace Atoll::detail
