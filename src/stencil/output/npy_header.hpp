// The header of a .npy file: what NumPy's format says of the values behind it.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "atoll/stencil/field.hpp"

namespace Atoll::stencil {

struct NpyHeader {
  ElementType type = ElementType::float64;
  bool swapped = false;        ///< the bytes of each value are in the other order
  bool fortran_order = false;  ///< the first dimension is the fastest
  std::vector<std::uint64_t> shape;
};

/// Reads the header; the stream is at the first value then. `where` is the file's name in errors.
/// Throws Error (input) if it isn't one, or the values are none of ElementType.
[[nodiscard]] NpyHeader read_npy_header(std::istream& file, const std::string& where);

}  // namespace Atoll::stencil
