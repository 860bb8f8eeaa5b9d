// Sparse matrices from Matrix Market files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/threads/team.hpp"

namespace Atoll::graph {

/// A matrix in compressed sparse rows: row i has the entries begin[i] … begin[i + 1] - 1, sorted by
/// column.
struct SparseMatrix {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::uint32_t column_count = 0;
  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
};

/// Reads a Matrix Market file in coordinate format, packed or not. Entries of a pattern get the
/// value 1. Entries of a symmetric or skew-symmetric matrix are added to both halves. Entries with
/// the same row and column are summed, as in SciPy. Throws Error (input) if the matrix is complex,
/// if it has far fewer entries than rows and columns, or if the file is invalid.
[[nodiscard]] SparseMatrix read_matrix(const std::string& path, const Team& team);

}  // namespace Atoll::graph
