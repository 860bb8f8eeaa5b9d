// What several files of this module ask of a place tree: numbering, walking, nearest common places.
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

/// Whether a place of kind `outer` may hold one of kind `inner`.
[[nodiscard]] bool may_hold(PlaceKind outer, PlaceKind inner);

/// Calls visit(place, path) for every place, outside in; `path` are the places around it, from the
/// machine on.
using Path = std::vector<const Place*>;
void walk(const Place& root, const std::function<void(const Place&, const Path&)>& visit);

/// Numbers the places of each kind from 0, in the order of the tree.
void number_places(Place& root);

/// The processing units in the order of the tree, with their cores and packages (where the tree
/// shows none: each a core of its own, numbered after the cores; package 0); `node_of` says which
/// initiator each belongs to.
[[nodiscard]] std::vector<Processor> list_processors(
    const Place& root, const std::function<NodeId(const Place& pu, const Path&)>& node_of);

/// The first memory of the nearest place around that has any: where a processing unit belongs to
/// unless something else is said.
[[nodiscard]] std::optional<NodeId> default_initiator(const Path& path);

/// For pairs of an initiator and a memory: the innermost place that holds both.
class CommonPlaces {
 public:
  explicit CommonPlaces(const Machine::Data& data);
  /// Its kind; nested groups with their level from the outside: "numa", "package", "group 2".
  [[nodiscard]] const std::string& name(NodeId initiator, NodeId target) const;

 private:
  std::map<const Place*, std::string> names_;
  std::map<NodeId, Path> of_initiator_;  ///< around all processing units of the initiator
  std::map<NodeId, Path> of_memory_;     ///< around the memory, its own place included
};

}  // namespace Atoll::detail
