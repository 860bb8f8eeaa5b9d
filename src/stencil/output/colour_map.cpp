// A map is a path in OKLab, given by lightness, chroma and hue. Colours are taken at equal
// distances along it, measured in small steps.
#include "atoll/stencil/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace Atoll::stencil {
namespace {

struct Lab {
  double lightness, a, b;
};
struct LinearRgb {
  double red, green, blue;
};

/// Inverse of OKLab's definition.
LinearRgb linear_rgb(const Lab& lab) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
  const double m = cube(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
  const double s = cube(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

/// `hue` is in degrees.
Lab lab_of(double lightness, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180;
  return {lightness, chroma * std::cos(angle), chroma * std::sin(angle)};
}

std::uint8_t screen_value(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

// Both paths have smooth lightness, chroma and hue, because an edge in them would look like an edge
// in the field. The chroma is as high as sRGB allows along the whole path.

/// Violet (hue 300) over blue and teal to yellow (hue 105).
Lab sequential(double t) {
  return lab_of(0.26 + 0.68 * t, 0.12 - 0.13 * t + 0.195 * t * t, 300 - 195 * std::pow(t, 1.15));
}

/// Blue over near-white to red.
Lab diverging(double t) {
  const double side = 2 * std::abs(t - 0.5);
  const double hue = t < 0.5 ? 255 + 10 * side : 40 - 13 * side;
  return lab_of(0.96 - 0.56 * side, 0.16 * (1 - (1 - side) * (1 - side)), hue);
}

double distance(const Lab& x, const Lab& y) {
  return std::hypot(x.lightness - y.lightness, x.a - y.a, x.b - y.b);
}

}  // namespace

std::vector<Colour> colours_of(ColourMap map, int count) {
  constexpr int kSteps = 4096;
  Lab (*const path)(double) = map == ColourMap::sequential ? sequential : diverging;
  std::vector<Lab> points;
  std::vector<double> length{0};
  for (int i = 0; i <= kSteps; ++i) {
    points.push_back(path(static_cast<double>(i) / kSteps));
    if (i > 0) length.push_back(length.back() + distance(points[i - 1], points[i]));
  }
  std::vector<Colour> colours;
  for (int i = 0; i < count; ++i) {
    const double wanted = length.back() * i / (count - 1);
    const auto at = std::lower_bound(length.begin(), length.end() - 1, wanted) - length.begin();
    const LinearRgb c = linear_rgb(points[static_cast<std::size_t>(at)]);
    colours.push_back({screen_value(c.red), screen_value(c.green), screen_value(c.blue)});
  }
  return colours;
}

}  // namespace Atoll::stencil
