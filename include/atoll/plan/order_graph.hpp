// Orders of a graph's vertices that put neighbours close to each other, so that shared data are
// still in the cache [affinity §3]: for tasks of one thread, rows of a matrix, nodes of a graph.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

enum class TaskOrder {
  created,        ///< 0, 1, 2 …
  breadth_first,  ///< level by level, from the first vertex of each component
  rcm,            ///< reverse Cuthill-McKee, from a pseudo-peripheral vertex of each component
  degree,         ///< vertices with most neighbours first
};
/// All orders, beginning with those that are cheap to compute.
inline constexpr std::array kTaskOrders{TaskOrder::created, TaskOrder::degree,
                                        TaskOrder::breadth_first, TaskOrder::rcm};

/// Returns "created", "degree", "breadth-first", "rcm".
[[nodiscard]] std::string_view to_string(TaskOrder order);
/// Returns std::nullopt for any other name.
[[nodiscard]] std::optional<TaskOrder> task_order_of(std::string_view name);

/// Returns the order: order[k] is the vertex at position k. Deterministic on all platforms. Ignores
/// weights. Time: O(V + E log d), where d is the maximum degree.
[[nodiscard]] std::vector<std::uint32_t> order_graph(const AffinityGraph& graph, TaskOrder order);

}  // namespace Atoll
