// The hierarchical place tree of [memory-centric §3.1]. Hiding a level gives a coarser view of the
// same machine (Figure 2 a-c there).
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll {

/// A memory, identified by the operating system's number of its NUMA node. A separate type prevents
/// confusion with thread numbers and positions.
struct NodeId {
  std::uint32_t value = 0;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
};

/// The kinds of places, from the outside in. A place contains only places of later kinds, with two
/// exceptions: groups within groups, and packages within a numa place (a node of two sockets).
enum class PlaceKind { machine, group, package, numa, l3, l2, l1, core, pu };

[[nodiscard]] std::string_view to_string(PlaceKind kind);

/// A place of the tree, including all places within it.
struct Place {
  PlaceKind kind = PlaceKind::machine;
  int index = 0;                  ///< index among the places of this kind in the machine, from 0
  int os_index = -1;              ///< the system's number of a processing unit or package; else -1
  std::uint64_t cache_bytes = 0;  ///< for an l1, l2 or l3
  std::vector<NodeId> memories;   ///< the memories attached here (a package may have several)
  std::vector<Place> children;

  friend bool operator==(const Place&, const Place&) = default;
};

/// Returns the tree without the places of the kinds in `hidden`. Their children and memories move
/// to the nearest visible ancestor. The machine and the parents of processing units can't be
/// hidden. If `pu` is hidden, cores are the leaves.
[[nodiscard]] Place hide(const Place& tree, std::initializer_list<PlaceKind> hidden);
[[nodiscard]] Place hide(const Place& tree, const std::vector<PlaceKind>& hidden);

}  // namespace Atoll
