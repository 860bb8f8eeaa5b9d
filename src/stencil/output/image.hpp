// Pictures of up to 256 colours, and text in them. Text and lines take the first kGreys colours,
// from the paper's to the ink's; a field takes those behind kMissing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/stencil/colour_map.hpp"

namespace Atoll::stencil {

constexpr int kGreys = 16;              ///< colours 0 to 15: paper to ink
constexpr int kMissing = kGreys;        ///< the colour of values that aren't finite
constexpr int kFirst = kMissing + 1;    ///< the colour of the least value
constexpr int kColours = 256 - kFirst;  ///< colours for values

struct Image {
  Image(int width_, int height_)
      : width(width_),
        height(height_),
        pixels(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

  [[nodiscard]] std::uint8_t& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  /// Paints a rectangle; what lies outside the picture is left out.
  void fill(int x, int y, int w, int h, int colour);

  int width, height;
  std::vector<std::uint8_t> pixels;  ///< rows from the top
};

/// The whole palette with a map's colours.
[[nodiscard]] std::vector<Colour> palette_of(ColourMap map);

/// The picture as a PNG file's bytes. Throws Error (failed) with `where`.
[[nodiscard]] std::string png_of(const Image& image, const std::vector<Colour>& palette,
                                 const std::string& where);

/// Writes text with a font of the system.
class Font {
 public:
  /// Finds a font without serifs. Throws Error (failed) if there is none.
  Font();
  ~Font();
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;

  /// The text's width in pixels. `size` is the font's height in pixels, text is UTF-8.
  [[nodiscard]] int width(std::string_view text, int size) const;
  /// Writes text that begins at x and stands on the line y. What lies outside is left out.
  void draw(Image& image, int x, int y, std::string_view text, int size) const;

 private:
  struct Face;
  std::unique_ptr<Face> face_;
};

}  // namespace Atoll::stencil
