// A field's plane brought to a picture's size.
#pragma once

#include <array>
#include <vector>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// The plane in width · height pixels, rows from the bottom. A pixel that covers many points has
/// their mean; pixels between points are interpolated linearly.
[[nodiscard]] std::vector<double> resample(const ConstStridedArray& plane, int width, int height);

/// The least and the greatest finite value; both NaN if there is none.
[[nodiscard]] std::array<double, 2> range_of(const ConstStridedArray& plane);

}  // namespace Atoll::stencil
