// Lists the layouts that the policies choose from: a few sensible ones of each kind for one machine
// and team.
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

/// The memory of a node's threads: the node's own, or the nearest if it has none.
[[nodiscard]] NodeId home(const Machine& machine, NodeId initiator);

/// Distributes by granules of a page. Pages are huge if the piece for each entry of the list (of a
/// partitioned array: each run of equal ones) has at least four of them, unless `pages` says
/// otherwise.
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

  /// Lists the layouts of an array. An array that is written gets no copies. `force` leaves one
  /// kind; the list can be empty only if no node has room for a copy. Without a wish for `pages`,
  /// each layout comes also in pages of the pools that the machine has. `by_free` adds a layout
  /// that only serves to find room: distributed over all memories by what is free on them.
  [[nodiscard]] std::vector<Layout> of(const ArrayRequest& request, LayoutKind force,
                                       std::optional<PageSize> pages, bool by_free) const;

 private:
  [[nodiscard]] std::vector<Layout> in_pages(const ArrayRequest& request, LayoutKind force,
                                             std::optional<PageSize> pages, bool by_free) const;

  std::vector<NodeId> single_;                    ///< each a single node
  std::vector<std::vector<NodeId>> distributed_;  ///< each a list for round robin
  std::vector<std::vector<NodeId>> partitioned_;  ///< each with a node for each thread
  std::vector<std::vector<NodeId>> replicated_;   ///< each with a copy on each node
  const Machine& machine_;
};

}  // namespace Atoll::detail
