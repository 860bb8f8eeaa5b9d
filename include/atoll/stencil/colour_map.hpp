// Perceptually uniform colour maps: equal differences of a value look equally large. Computed in
// OKLab (B. Ottosson, 2020), a colour space in which distances match perception: a path in it is
// divided into steps of equal length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::stencil {

/// Kinds of colour maps.
enum class ColourMap {
  sequential,  ///< dark violet over teal to bright yellow; lightness grows with the value
  diverging,   ///< blue over near-white to red, for values with a natural middle such as vorticity
};

/// A colour in sRGB.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// Returns `count` colours of the map, from the minimum value to the maximum. `count` is at least
/// 2.
[[nodiscard]] std::vector<Colour> colours_of(ColourMap map, int count);

}  // namespace Atoll::stencil
