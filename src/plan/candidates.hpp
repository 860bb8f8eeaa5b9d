// The layouts that the policies choose from: a few sensible ones of each kind for one machine and
// team.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/plan/choose_layouts.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll::detail {

[[nodiscard]] LayoutKind kind_of(const Layout& layout);

/// The memory that a thread of this node has: its node's own, or the nearest where that has none.
[[nodiscard]] NodeId home(const Machine& machine, NodeId initiator);

/// Distributed by granules of a page. Huge pages where the piece for each entry of the list (of a
/// partitioned array: each run of equal ones) has at least four of them, unless told otherwise.
[[nodiscard]] Layout distributed(std::vector<NodeId> nodes, std::uint64_t bytes,
                                 std::optional<PageSize> pages);
[[nodiscard]] Layout partitioned(std::vector<NodeId> nodes, std::uint64_t bytes,
                                 std::optional<PageSize> pages);
[[nodiscard]] Layout replicated(std::vector<NodeId> nodes, std::uint64_t bytes,
                                std::optional<PageSize> pages);
[[nodiscard]] Layout single(NodeId node, std::uint64_t bytes, std::optional<PageSize> pages);

class Candidates {
 public:
  Candidates(const Machine& machine, const ThreadPlaces& team);

  /// No copies where the array is written. `force` leaves one kind; that can be none only if no
  /// node has room for a copy. Without a wish for `pages`, each layout comes also in pages of the
  /// pools that the machine has. `by_free` adds the one that is good for nothing but to find room:
  /// distributed over all memories by what is free on them.
  [[nodiscard]] std::vector<Layout> of(const ArrayRequest& request, LayoutKind force,
                                       std::optional<PageSize> pages, bool by_free) const;

 private:
  [[nodiscard]] std::vector<Layout> in_pages(const ArrayRequest& request, LayoutKind force,
                                             std::optional<PageSize> pages, bool by_free) const;

  std::vector<NodeId> single_;                    ///< each by itself
  std::vector<std::vector<NodeId>> distributed_;  ///< each a list to go round in
  std::vector<std::vector<NodeId>> partitioned_;  ///< each with a node for each thread
  std::vector<std::vector<NodeId>> replicated_;   ///< each with a copy on each node
  const Machine& machine_;
};

}  // namespace Atoll::detail
