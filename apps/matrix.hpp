// Sparse matrices for the programs of the affinity paper.
#pragma once

#include <atoll/atoll.hpp>
#include <atoll/graph/matrix.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace app {

/// A matrix by rows or by columns: task i has entries begin[i] to begin[i + 1] - 1, each with an
/// index in the other dimension.
struct Sparse {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> index;
  std::vector<double> value;
  std::size_t others = 0;  ///< size of the other dimension
  [[nodiscard]] std::size_t tasks() const { return begin.size() - 1; }
};

inline Sparse rows_of(const std::string& path, const Atoll::Team& team) {
  Atoll::graph::SparseMatrix matrix = Atoll::graph::read_matrix(path, team);
  return {std::move(matrix.begin), std::move(matrix.columns), std::move(matrix.values),
          matrix.column_count};
}

inline Sparse transposed(const Sparse& rows) {
  Sparse columns;
  columns.others = rows.tasks();
  columns.begin.resize(rows.others + 1);
  columns.index.resize(rows.index.size());
  columns.value.resize(rows.index.size());
  for (const std::uint32_t column : rows.index) ++columns.begin[column + 1];
  std::partial_sum(columns.begin.begin(), columns.begin.end(), columns.begin.begin());
  std::vector<std::uint64_t> next(columns.begin.begin(), columns.begin.end() - 1);
  for (std::size_t row = 0; row < rows.tasks(); ++row)
    for (std::uint64_t at = rows.begin[row]; at < rows.begin[row + 1]; ++at) {
      const std::uint64_t to = next[rows.index[at]]++;
      columns.index[to] = static_cast<std::uint32_t>(row);
      columns.value[to] = rows.value[at];
    }
  return columns;
}

}  // namespace app
