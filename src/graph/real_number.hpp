// Parses real numbers as C, Fortran and Python write them.
#pragma once

#include <string_view>

namespace Atoll::graph {

/// Parses a whole word as a number: "1e5", Fortran's "1D+05", "nan", "inf". A leading '+' is
/// allowed. A number above double's range becomes infinity, one below it 0 (or a subnormal number),
/// as in C. Returns false if the word isn't a number.
[[nodiscard]] bool read_real(std::string_view word, double& number);

}  // namespace Atoll::graph
