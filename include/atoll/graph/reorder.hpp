// Reorders matrices and graphs so that programs reuse caches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "atoll/plan/choose_order.hpp"

namespace Atoll::graph {

/// The result of reorder().
struct Reordered {
  std::string format;  ///< "a Matrix Market file" …
  std::uint64_t rows = 0, columns = 0, entries = 0;
  TaskOrder kind = TaskOrder::created;
  std::vector<std::uint32_t> row_order;     ///< for each new row, its old number, from 0
  std::vector<std::uint32_t> column_order;  ///< same for columns; row_order if the matrix is square
  OrderCost before, after;                  ///< of a matrix-vector product by rows
  OrderCandidates candidates;
};

/// Reads a Matrix Market file, a METIS graph or Atoll's graph file. Writes it in the same format
/// with its rows and columns (or nodes) reordered. The order is `only`, or the best one, which may
/// be the current order. Values are written unchanged. Labels and edge values move with their
/// nodes; a node without a label gets its old number as label. Square matrices keep their diagonal;
/// rows and columns of other matrices are ordered together. Throws Error (input) if the file has
/// another format or is invalid.
[[nodiscard]] Reordered reorder(const std::string& from, const std::string& to, const Team& team,
                                const Machine& machine, std::optional<TaskOrder> only = {});

/// Returns the graph in which node k is the old node order[k].
[[nodiscard]] Graph permuted(const Graph& graph, std::span<const std::uint32_t> order,
                             const Team& team);

}  // namespace Atoll::graph
