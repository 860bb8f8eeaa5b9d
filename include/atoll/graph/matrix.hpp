// Sparse matrices from Matrix Market files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/threads/team.hpp"

namespace Atoll::graph {

/// A matrix by rows: row i has the entries begin[i] … begin[i + 1] - 1, whose columns ascend.
struct SparseMatrix {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::uint32_t column_count = 0;
  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
};

/// Reads a Matrix Market file in coordinates, packed or not. Entries of a pattern are 1, entries of
/// a symmetric or skew-symmetric matrix count in both halves, and entries with the same row and
/// column are added, as SciPy does. Throws Error (input) for a complex matrix, for one with nearly
/// no entries for its rows and columns, and for a file that is wrong.
[[nodiscard]] SparseMatrix read_matrix(const std::string& path, const Team& team);

}  // namespace Atoll::graph
