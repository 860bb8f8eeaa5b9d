// Images of up to 256 colours, and text in them. Text and lines use the first kGreys colours, from
// background to foreground; fields use those after kNotFinite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/stencil/colour_map.hpp"

namespace Atoll::stencil {

constexpr int kGreys = 16;              ///< colours 0 to 15, from background to foreground
constexpr int kNotFinite = kGreys;      ///< colour of values that aren't finite
constexpr int kFirst = kNotFinite + 1;  ///< colour of the minimum
constexpr int kColours = 256 - kFirst;  ///< number of colours for values

struct Image {
  Image(int width_, int height_)
      : width(width_),
        height(height_),
        pixels(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

  [[nodiscard]] std::uint8_t& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  /// Fills a rectangle, clipped to the image.
  void fill(int x, int y, int w, int h, int colour);

  int width, height;
  std::vector<std::uint8_t> pixels;  ///< rows from the top
};

/// Returns the palette: greys, the colour of missing values, and the map's colours.
[[nodiscard]] std::vector<Colour> palette_of(ColourMap map);

/// Encodes the image as PNG. Throws Error (failed) with `where`.
[[nodiscard]] std::string png_of(const Image& image, const std::vector<Colour>& palette,
                                 const std::string& where);

/// Renders text in a font of the system.
class Font {
 public:
  /// Selects a sans-serif font. Throws Error (failed) if there is none.
  Font();
  ~Font();
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;

  /// Width of UTF-8 text in pixels. `size` is the font's height in pixels.
  [[nodiscard]] int width(std::string_view text, int size) const;
  /// Draws text that begins at x with its baseline at y, clipped to the image.
  void draw(Image& image, int x, int y, std::string_view text, int size) const;

 private:
  struct Face;
  std::unique_ptr<Face> face_;
};

}  // namespace Atoll::stencil
