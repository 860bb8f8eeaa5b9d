// Resampling of a field's plane to the size of an image.
#pragma once

#include <array>
#include <vector>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Returns the plane as width · height pixels, rows from the bottom. A pixel that covers several
/// points gets their mean; pixels between points are interpolated linearly.
[[nodiscard]] std::vector<double> resample(const ConstStridedArray& plane, int width, int height);

/// Returns the minimum and maximum of the finite values; both NaN if there is none.
[[nodiscard]] std::array<double, 2> range_of(const ConstStridedArray& plane);

}  // namespace Atoll::stencil
