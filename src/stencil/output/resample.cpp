#include "stencil/output/resample.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace Atoll::stencil {
namespace {

/// Points that contribute to a pixel, and their weights.
struct Weights {
  std::int64_t first = 0;
  std::vector<double> weight;
};

std::vector<Weights> weights_of(std::int64_t points, int pixels) {
  std::vector<Weights> all(static_cast<std::size_t>(pixels));
  const double scale = static_cast<double>(points) / pixels;
  for (int i = 0; i < pixels; ++i) {
    Weights& one = all[static_cast<std::size_t>(i)];
    if (scale > 1) {
      const double from = i * scale, to = std::min((i + 1) * scale, static_cast<double>(points));
      one.first = static_cast<std::int64_t>(from);
      for (std::int64_t p = one.first; static_cast<double>(p) < to; ++p) {
        const auto left = static_cast<double>(p);
        one.weight.push_back((std::min(to, left + 1) - std::max(from, left)) / (to - from));
      }
      continue;
    }
    const double at = std::clamp((i + 0.5) * scale - 0.5, 0.0, static_cast<double>(points - 1));
    one.first = static_cast<std::int64_t>(at);
    const double part = at - static_cast<double>(one.first);
    one.weight.push_back(1 - part);
    // Omits weight 0, which would propagate a value that isn't finite.
    if (part > 0) one.weight.push_back(part);
  }
  return all;
}

/// Calls f(row number, values) for each row of the plane, in order.
template <typename T, typename F>
void for_each_row_of(const ConstStridedArray& plane, F&& f) {
  std::vector<double> row(static_cast<std::size_t>(plane.points[0]));
  for (std::int64_t y = 0; y < plane.points[1]; ++y) {
    const std::byte* from = plane.at(0, y, 0);
    for (double& value : row) {
      T number;
      std::memcpy(&number, from, sizeof number);
      value = static_cast<double>(number);
      from += plane.strides[0];
    }
    f(y, row);
    constexpr std::int64_t kRows = 64;
    if (plane.finished && (y + 1) % kRows == 0) plane.finished(y + 1);
  }
}

template <typename F>
void for_each_row(const ConstStridedArray& plane, F&& f) {
  switch (plane.type) {
    case ElementType::float32:
      return for_each_row_of<float>(plane, f);
    case ElementType::float64:
      return for_each_row_of<double>(plane, f);
    case ElementType::int8:
      return for_each_row_of<std::int8_t>(plane, f);
    case ElementType::int16:
      return for_each_row_of<std::int16_t>(plane, f);
    case ElementType::int32:
      return for_each_row_of<std::int32_t>(plane, f);
    case ElementType::int64:
      return for_each_row_of<std::int64_t>(plane, f);
    case ElementType::uint8:
      return for_each_row_of<std::uint8_t>(plane, f);
    case ElementType::uint16:
      return for_each_row_of<std::uint16_t>(plane, f);
    case ElementType::uint32:
      return for_each_row_of<std::uint32_t>(plane, f);
    case ElementType::uint64:
      return for_each_row_of<std::uint64_t>(plane, f);
  }
}

}  // namespace

std::vector<double> resample(const ConstStridedArray& plane, int width, int height) {
  const std::vector<Weights> across = weights_of(plane.points[0], width);
  const std::vector<Weights> up = weights_of(plane.points[1], height);
  const auto w = static_cast<std::size_t>(width);
  std::vector<double> picture(w * static_cast<std::size_t>(height)), row(w);
  std::size_t begin = 0;  // rows of the picture below this one are complete
  for_each_row(plane, [&](std::int64_t y, const std::vector<double>& values) {
    for (std::size_t x = 0; x < w; ++x) {
      row[x] = 0;
      const double* from = values.data() + across[x].first;
      for (const double weight : across[x].weight) row[x] += weight * *from++;
    }
    for (std::size_t to = begin; to < up.size() && up[to].first <= y; ++to) {
      const auto which = static_cast<std::size_t>(y - up[to].first);
      if (which >= up[to].weight.size()) {
        if (to == begin) ++begin;
        continue;
      }
      for (std::size_t x = 0; x < w; ++x) picture[to * w + x] += up[to].weight[which] * row[x];
    }
  });
  return picture;
}

std::array<double, 2> range_of(const ConstStridedArray& plane) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double least = kNone, greatest = -kNone;
  for_each_row(plane, [&](std::int64_t, const std::vector<double>& values) {
    for (const double value : values)
      if (std::isfinite(value)) {
        least = std::min(least, value);
        greatest = std::max(greatest, value);
      }
  });
  if (least > greatest) least = greatest = std::numeric_limits<double>::quiet_NaN();
  return {least, greatest};
}

}  // namespace Atoll::stencil
