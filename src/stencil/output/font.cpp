// Text rendering with FreeType, in a font that fontconfig selects.
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "atoll/base/error.hpp"
#include "stencil/output/image.hpp"

namespace Atoll::stencil {
namespace {

[[noreturn]] void throw_no_font() {
  throw Error::failed("frames", "the system has no font that can be used",
                      "install one, e.g. Debian's fonts-dejavu-core");
}

/// Returns the file of the system's default sans-serif font.
std::string font_file() {
  FcConfig* const config = FcInitLoadConfigAndFonts();
  FcPattern* const wanted = FcPatternCreate();
  FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>("DejaVu Sans"));
  FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(config, wanted, FcMatchPattern);
  FcDefaultSubstitute(wanted);
  FcResult result = FcResultNoMatch;
  FcPattern* const match = FcFontMatch(config, wanted, &result);
  FcChar8* file = nullptr;
  std::string name;
  if (match != nullptr && FcPatternGetString(match, FC_FILE, 0, &file) == FcResultMatch)
    name = reinterpret_cast<const char*>(file);
  if (match != nullptr) FcPatternDestroy(match);
  FcPatternDestroy(wanted);
  FcConfigDestroy(config);
  return name;
}

/// Removes the first character from UTF-8 text and returns it; invalid UTF-8 becomes '?'.
char32_t next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::size_t length = byte(0) < 0x80           ? 1
                             : (byte(0) >> 5) == 0x06 ? 2
                             : (byte(0) >> 4) == 0x0e ? 3
                             : (byte(0) >> 3) == 0x1e ? 4
                                                      : 0;
  char32_t character = length == 1 ? byte(0) : length == 0 ? '?' : byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || (byte(i) >> 6) != 0x02) {
      text.remove_prefix(1);
      return '?';
    }
    character = character << 6 | (byte(i) & 0x3fU);
  }
  text.remove_prefix(std::max<std::size_t>(length, 1));
  return character;
}

}  // namespace

struct Font::Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  ~Face() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }

  /// Calls f(glyph) for each character, with its glyph rendered.
  template <typename F>
  void for_each_glyph(std::string_view text, int size, F&& f) const {
    if (FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(size)) != 0) throw_no_font();
    while (!text.empty())
      if (FT_Load_Char(face, next_character(text), FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) == 0)
        f(*face->glyph);
  }
};

Font::Font() : face_(std::make_unique<Face>()) {
  const std::string file = font_file();
  if (file.empty() || FT_Init_FreeType(&face_->library) != 0 ||
      FT_New_Face(face_->library, file.c_str(), 0, &face_->face) != 0)
    throw_no_font();
}

Font::~Font() = default;

int Font::width(std::string_view text, int size) const {
  long all = 0;  // in 1/64 pixels
  face_->for_each_glyph(text, size, [&](const FT_GlyphSlotRec_& glyph) { all += glyph.advance.x; });
  return static_cast<int>((all + 63) / 64);
}

void Font::draw(Image& image, int x, int y, std::string_view text, int size) const {
  long pen = 64L * x;
  face_->for_each_glyph(text, size, [&](const FT_GlyphSlotRec_& glyph) {
    const int left = static_cast<int>(pen / 64) + glyph.bitmap_left;
    const int top = y - glyph.bitmap_top;
    for (int row = 0; row < static_cast<int>(glyph.bitmap.rows); ++row)
      for (int column = 0; column < static_cast<int>(glyph.bitmap.width); ++column) {
        if (left + column < 0 || left + column >= image.width || top + row < 0 ||
            top + row >= image.height)
          continue;
        const int covered = glyph.bitmap.buffer[row * glyph.bitmap.pitch + column];
        const int grey = (covered * (kGreys - 1) + 127) / 255;
        std::uint8_t& pixel = image.at(left + column, top + row);
        if (pixel < kGreys) pixel = static_cast<std::uint8_t>(std::max<int>(pixel, grey));
      }
    pen += glyph.advance.x;
  });
}

}  // namespace Atoll::stencil
