// Fields as strided arrays.
#pragma once

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Returns a view of the field's values in `range`, which must be within whole(). `origin` is what
/// before_access() returned; with null, the view has no address.
[[nodiscard]] StridedArray array_of(const FieldStorage& field, const Range& range,
                                    std::byte* origin);

}  // namespace Atoll::stencil
