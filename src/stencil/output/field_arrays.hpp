// Fields as strided arrays.
#pragma once

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// The field's values in `range`, which is in whole(). Nothing is run.
[[nodiscard]] StridedArray array_of(const FieldStorage& field, const Range& range);

}  // namespace Atoll::stencil
