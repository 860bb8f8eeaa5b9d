// What several files of this module need of a place tree: numbering, walking, nearest common
// places.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

inline constexpr PlaceKind kPlaceKinds[] = {
    PlaceKind::machine, PlaceKind::group, PlaceKind::package, PlaceKind::numa, PlaceKind::l3,
    PlaceKind::l2,      PlaceKind::l1,    PlaceKind::core,    PlaceKind::pu};

[[nodiscard]] std::optional<PlaceKind> place_kind(std::string_view name);

/// True if a place of kind `outer` may hold one of kind `inner`.
[[nodiscard]] bool may_hold(PlaceKind outer, PlaceKind inner);

/// Calls visit(place, path) for every place, from the outside in. `path` holds the enclosing
/// places, from the machine on.
using Path = std::vector<const Place*>;
void walk(const Place& root, const std::function<void(const Place&, const Path&)>& visit);

/// Numbers the places of each kind from 0, in the order of the tree.
void number_places(Place& root);

/// Lists the processing units in the order of the tree, with their cores and packages. If the tree
/// shows no core, each is a core of its own, numbered after the cores; without a package it is in
/// package 0. `node_of` says which initiator each belongs to.
[[nodiscard]] std::vector<Processor> list_processors(
    const Place& root, const std::function<NodeId(const Place& pu, const Path&)>& node_of);

/// The first memory of the nearest enclosing place that has any. A processing unit belongs to it
/// unless the file says otherwise.
[[nodiscard]] std::optional<NodeId> default_initiator(const Path& path);

/// The cache figures that the tree shows around its first processing unit.
[[nodiscard]] CacheFigures caches_of(const Place& root);

/// Finds, for pairs of an initiator and a memory, the innermost place that holds both.
class CommonPlaces {
 public:
  explicit CommonPlaces(const Machine::Data& data);
  /// The place's kind: "numa", "package". Nested groups have their level from the outside: "group
  /// 2".
  [[nodiscard]] const std::string& name(NodeId initiator, NodeId target) const;

 private:
  std::map<const Place*, std::string> names_;
  std::map<NodeId, Path> of_initiator_;  ///< around all processing units of the initiator
  std::map<NodeId, Path> of_memory_;     ///< around the memory, its own place included
};

}  // namespace Atoll::detail
