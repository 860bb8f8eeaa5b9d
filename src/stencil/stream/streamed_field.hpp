// A field that is too large for fast memory: its layout along the outermost dimension, and its home
// in slow memory [out-of-core §4].
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/stencil/plan.hpp"
#include "stencil/stream/home.hpp"

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
  Home home;                ///< of the first row

  [[nodiscard]] bool is_streamed() const { return row_bytes > 0; }
  /// Bytes from the begin of the home to a row.
  [[nodiscard]] std::uint64_t distance(int row) const {
    return static_cast<std::uint64_t>(row - rows.lo) * row_bytes;
  }
  /// The transfer of rows to `to`, which has room for them.
  [[nodiscard]] memory::CopyPiece read(Plan::Interval which, std::byte* to) const {
    const Home from = home.after(distance(which.lo));
    return {.to = to, .from = from.address, .bytes = bytes(which), .from_file = from.position};
  }
  /// The transfer of rows from `from` to the home.
  [[nodiscard]] memory::CopyPiece write(Plan::Interval which, const std::byte* from) const {
    const Home to = home.after(distance(which.lo));
    return {.to = to.address, .from = from, .bytes = bytes(which), .to_file = to.position};
  }
  [[nodiscard]] std::uint64_t bytes(Plan::Interval which) const {
    return static_cast<std::uint64_t>(which.hi - which.lo) * row_bytes;
  }
};

}  // namespace Atoll::stencil
