// Colour maps on which equal steps of a value look equally large. They are computed in OKLab
// (B. Ottosson, 2020), a space in which distances are as the eye sees them: a path is chosen there
// and divided into steps of one length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::stencil {

/// The kinds of colour maps.
enum class ColourMap {
  sequential,  ///< dark violet over teal to bright yellow: lightness grows with the value
  diverging,   ///< blue over nearly white to red: for values that have a middle, such as vorticity
};

/// A colour on a screen (sRGB).
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// The map's colours, from the least value's to the greatest's. `count` is 2 at least.
[[nodiscard]] std::vector<Colour> colours_of(ColourMap map, int count);

}  // namespace Atoll::stencil
