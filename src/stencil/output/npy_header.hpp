// The header of a .npy file, which describes the values after it.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "atoll/stencil/field.hpp"

namespace Atoll::stencil {

struct NpyHeader {
  ElementType type = ElementType::float64;
  bool swapped = false;        ///< true if values have the other byte order
  bool fortran_order = false;  ///< true if the first dimension is the fastest
  std::vector<std::uint64_t> shape;
};

/// Reads the header and leaves the stream at the first value. `where` is the file's name in errors.
/// Throws Error (input) if it isn't a .npy header, or the values have no ElementType.
[[nodiscard]] NpyHeader read_npy_header(std::istream& file, const std::string& where);

}  // namespace Atoll::stencil
