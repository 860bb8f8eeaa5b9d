// Orders of a graph's vertices in which neighbours come near each other, so that what they share is
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
  degree,         ///< those with most neighbours first
};
/// All of them, cheap ones first.
inline constexpr std::array kTaskOrders{TaskOrder::created, TaskOrder::degree,
                                        TaskOrder::breadth_first, TaskOrder::rcm};

/// "created", "degree", "breadth-first", "rcm".
[[nodiscard]] std::string_view to_string(TaskOrder order);
/// Nothing for any other name.
[[nodiscard]] std::optional<TaskOrder> task_order_of(std::string_view name);

/// order[k] is the vertex that comes k-th. The same graph gives the same order everywhere. Time:
/// O(V + E log d), d the most neighbours of a vertex. Weights don't matter.
[[nodiscard]] std::vector<std::uint32_t> order_graph(const AffinityGraph& graph, TaskOrder order);

}  // namespace Atoll
