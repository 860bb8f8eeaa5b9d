// Shared functions on place trees: numbering, walking, nearest common places.
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

/// True if a place of kind `outer` may contain one of kind `inner`.
[[nodiscard]] bool may_hold(PlaceKind outer, PlaceKind inner);

/// Calls visit(place, path) for every place, outer places first. `path` contains the enclosing
/// places, from the machine inwards.
using Path = std::vector<const Place*>;
void walk(const Place& root, const std::function<void(const Place&, const Path&)>& visit);

/// Numbers the places of each kind from 0, in tree order.
void number_places(Place& root);

/// Lists the processing units in tree order, with their cores and packages. A unit without a core
/// in the tree counts as its own core, numbered after all others; a unit without a package is in
/// package 0. `node_of` returns the initiator of each unit.
[[nodiscard]] std::vector<Processor> list_processors(
    const Place& root, const std::function<NodeId(const Place& pu, const Path&)>& node_of);

/// Returns the first memory of the nearest enclosing place with memories. This is the initiator of
/// a processing unit unless the file specifies another one.
[[nodiscard]] std::optional<NodeId> default_initiator(const Path& path);

/// Returns the cache figures that the tree shows around its first processing unit.
[[nodiscard]] CacheFigures caches_of(const Place& root);

/// For pairs of an initiator and a memory, finds the innermost place that contains both.
class CommonPlaces {
 public:
  explicit CommonPlaces(const Machine::Data& data);
  /// Returns the place's kind: "numa", "package". Nested groups have their level appended, counted
  /// from the outside: "group 2".
  [[nodiscard]] const std::string& name(NodeId initiator, NodeId target) const;

 private:
  std::map<const Place*, std::string> names_;
  std::map<NodeId, Path> of_initiator_;  ///< common path of all the initiator's processing units
  std::map<NodeId, Path> of_memory_;     ///< path to the place that has the memory
};

}  // namespace Atoll::detail
