// Candidate layouts for the policies: a few reasonable ones of each kind, for one machine and team.
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

/// Returns the memory of a node's threads: the node's own, or the nearest one if it has none.
[[nodiscard]] NodeId home(const Machine& machine, NodeId initiator);

/// Distributes by granules of one page. Unless `pages` is set, pages are huge if the array has at
/// least four of them for each entry of the list, or of a partitioned array, for each run of equal
/// entries.
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

  /// Returns candidate layouts of an array. An array that is written isn't replicated. `force`
  /// restricts the result to one kind; it is empty only if no node has room for a copy. If `pages`
  /// isn't set, each layout is also listed with each page size for which the machine has a pool.
  /// `by_free` adds a layout that helps only if memory is short: distributed over all memories in
  /// proportion to their free bytes.
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
