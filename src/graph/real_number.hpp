// Real numbers as C, Fortran and Python write them.
#pragma once

#include <string_view>

namespace Atoll::graph {

/// Reads a whole word as a number: "1e5", Fortran's "1D+05", "nan", "inf". A leading '+' is
/// allowed. One beyond double's range becomes infinity, one below it 0 (or a subnormal number), as
/// in C. Returns false if the word is no number.
[[nodiscard]] bool read_real(std::string_view word, double& number);

}  // namespace Atoll::graph
