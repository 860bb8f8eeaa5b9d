#include "stencil/output/image.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>

#include "atoll/base/error.hpp"

namespace Atoll::stencil {
namespace {

constexpr Colour kPaper{255, 255, 255};
constexpr Colour kInk{32, 36, 44};
constexpr Colour kMissingColour{150, 150, 150};

}  // namespace

void Image::fill(int x, int y, int w, int h, int colour) {
  for (int row = std::max(y, 0); row < std::min(y + h, height); ++row)
    for (int column = std::max(x, 0); column < std::min(x + w, width); ++column)
      at(column, row) = static_cast<std::uint8_t>(colour);
}

std::vector<Colour> palette_of(ColourMap map) {
  std::vector<Colour> palette;
  for (int i = 0; i < kGreys; ++i) {
    const auto mix = [&](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(from + (to - from) * i / (kGreys - 1));
    };
    palette.push_back(
        {mix(kPaper.red, kInk.red), mix(kPaper.green, kInk.green), mix(kPaper.blue, kInk.blue)});
  }
  palette.push_back(kMissingColour);
  const std::vector<Colour> colours = colours_of(map, kColours);
  palette.insert(palette.end(), colours.begin(), colours.end());
  return palette;
}

std::string png_of(const Image& image, const std::vector<Colour>& palette,
                   const std::string& where) {
  std::vector<png_byte> colours;
  for (const Colour& c : palette) colours.insert(colours.end(), {c.red, c.green, c.blue});
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB_COLORMAP;
  png.colormap_entries = static_cast<png_uint_32>(palette.size());
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string file(bytes, '\0');
  if (png_image_write_to_memory(&png, file.data(), &bytes, 0, image.pixels.data(), 0,
                                colours.data()) == 0)
    throw Error::failed(where, std::string("making a PNG failed: ") + png.message);
  file.resize(bytes);
  return file;
}

}  // namespace Atoll::stencil
