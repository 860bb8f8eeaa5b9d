// A field that is too large for fast memory: its layout along the outermost dimension, and its home
// in slow memory [out-of-core §4].
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/memory/copy_engine.hpp"
#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {

/// Layout and home of one field of a chain. A row is all values with one coordinate in the
/// outermost dimension: a plane in three dimensions.
struct StreamedField {
  int number = 0;  ///< of the field in the program
  /// True if new values needn't be written back where a chain writes them before it reads them.
  bool may_drop = false;
  std::uint64_t row_bytes = 0;  ///< 0 if the field isn't streamed, but resident in fast memory
  Plan::Interval rows;          ///< with the halo
  std::ptrdiff_t zero = 0;  ///< bytes from a row's begin to component 0 of the point whose other
                            ///< coordinates are 0
  std::byte* address = nullptr;        ///< of the first row, unless it is in a file
  memory::FilePosition position = {};  ///< of the first row in a file

  [[nodiscard]] bool is_streamed() const { return row_bytes > 0; }
  /// Bytes from the begin of the home to a row.
  [[nodiscard]] std::uint64_t distance(int row) const {
    return static_cast<std::uint64_t>(row - rows.lo) * row_bytes;
  }
  /// The transfer of rows to `to`, which has room for them.
  [[nodiscard]] memory::CopyPiece read(Plan::Interval which, std::byte* to) const {
    memory::CopyPiece piece{.to = to, .bytes = bytes(which)};
    if (position.file != nullptr)
      piece.from_file = {position.file, position.offset + distance(which.lo)};
    else
      piece.from = address + distance(which.lo);
    return piece;
  }
  /// The transfer of rows from `from` to the home.
  [[nodiscard]] memory::CopyPiece write(Plan::Interval which, const std::byte* from) const {
    memory::CopyPiece piece{.from = from, .bytes = bytes(which)};
    if (position.file != nullptr)
      piece.to_file = {position.file, position.offset + distance(which.lo)};
    else
      piece.to = address + distance(which.lo);
    return piece;
  }
  [[nodiscard]] std::uint64_t bytes(Plan::Interval which) const {
    return static_cast<std::uint64_t>(which.hi - which.lo) * row_bytes;
  }
};

}  // namespace Atoll::stencil
