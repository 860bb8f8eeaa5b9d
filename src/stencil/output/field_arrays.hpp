// Fields as strided arrays.
#pragma once

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Returns a view of the field's values in `range`, which must be within whole(). Doesn't run the
/// queued loops.
[[nodiscard]] StridedArray array_of(const FieldStorage& field, const Range& range);

}  // namespace Atoll::stencil
