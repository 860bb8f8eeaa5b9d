// Matrices and graphs with their rows and nodes in an order that reuses caches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "atoll/plan/choose_order.hpp"

namespace Atoll::graph {

/// A file in another order, and what that changes.
struct Reordered {
  std::string format;  ///< "a Matrix Market file" …
  std::uint64_t rows = 0, columns = 0, entries = 0;
  TaskOrder kind = TaskOrder::created;
  std::vector<std::uint32_t> row_order;     ///< the old number of each new row, from 0
  std::vector<std::uint32_t> column_order;  ///< the same of columns; the rows' if it is square
  OrderCost before, after;                  ///< of a product with a vector, by rows
  OrderCandidates candidates;
};

/// Reads a Matrix Market file, a METIS graph or one of Atoll's graph files, and writes it in the
/// same format with rows and columns, or nodes, in another order: `only`, or the best one, which
/// may be the one they have. Values are written as they are; labels and values of edges move with
/// their nodes, and a node without a label gets its old number for one. Square matrices keep their
/// diagonal; of others, rows and columns are ordered together. Throws Error (input) for a file of
/// another kind, or one that is wrong.
[[nodiscard]] Reordered reorder(const std::string& from, const std::string& to, const Team& team,
                                const Machine& machine, std::optional<TaskOrder> only = {});

/// The graph with node order[k] as node k.
[[nodiscard]] Graph permuted(const Graph& graph, std::span<const std::uint32_t> order,
                             const Team& team);

}  // namespace Atoll::graph
