// The tree of places: the hierarchical place tree of [memory-centric §3.1]. A level can be hidden,
// which gives the coarser views of the same machine (Figure 2 a-c there).
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll {

/// A memory, by the operating system's number of its NUMA node. It has a type of its own, so that
/// thread numbers, positions and nodes can't be mixed up.
struct NodeId {
  std::uint32_t value = 0;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

/// The kinds of places, from the outside in. A place only holds places of later kinds, except for
/// groups within groups and packages within a numa place (a node of two sockets).
enum class PlaceKind { machine, group, package, numa, l3, l2, l1, core, pu };

[[nodiscard]] std::string_view to_string(PlaceKind kind);

/// One place of the tree, with everything within it.
struct Place {
  PlaceKind kind = PlaceKind::machine;
  int index = 0;                  ///< among the places of this kind in the machine, from 0
  int os_index = -1;              ///< the system's number: of a processing unit or package, else -1
  std::uint64_t cache_bytes = 0;  ///< of an l1, l2 or l3
  std::vector<NodeId> memories;   ///< the memories attached here (a package may hold several)
  std::vector<Place> children;

  friend bool operator==(const Place&, const Place&) = default;
};

/// Returns the tree without the places of the kinds in `hidden`: their children and memories move
/// up to the nearest place that is shown. The machine itself and the processing units' parents are
/// always there; hiding `pu` makes cores the leaves.
[[nodiscard]] Place hide(const Place& tree, std::initializer_list<PlaceKind> hidden);
[[nodiscard]] Place hide(const Place& tree, const std::vector<PlaceKind>& hidden);

}  // namespace Atoll
