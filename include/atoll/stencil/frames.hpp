// Pictures of a field while a program runs: PNG files of a plane's values in colours, with a colour
// bar, the time and the range of the values. Frames of one series have one size and one palette, so
// that they can be put together to an animation (demo/animate.py).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "atoll/stencil/colour_map.hpp"
#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// How frames look.
struct FrameOptions {
  std::string title;                      ///< above the picture; UTF-8
  ColourMap map = ColourMap::sequential;  ///< the colours
  /// The values at the colour bar's ends. If there are none, each frame takes its own least and
  /// greatest value; a diverging map takes the same distance on both sides of 0.
  std::optional<std::array<double, 2>> range{};
  int size = 800;  ///< pixels of the plane's longer side, 16 to 8192
  /// The plane's width and height in any unit; 0: points are squares.
  std::array<double, 2> extent{0, 0};
};

/// A series of frames: FOLDER/NAME_000123.png for step 123. The first row of points is at the
/// bottom. Values that aren't finite are grey.
class Frames {
 public:
  /// `path` is FOLDER/NAME; the folder must be there. Throws Error: input if an option is wrong,
  /// failed if the system has no font.
  Frames(std::string path, FrameOptions options);
  ~Frames();
  Frames(Frames&&) noexcept;
  Frames& operator=(Frames&&) noexcept;

  /// Writes the frame of a step. The file is there whole or not at all. Throws Error (input) if
  /// `plane` isn't an array of one component in one or two dimensions, or the folder can't be
  /// written to; failed if writing fails.
  void write(std::int64_t step, double time, const ConstStridedArray& plane) const;

  /// The name of a step's file.
  [[nodiscard]] std::string file(std::int64_t step) const;

 private:
  struct Pen;
  std::string path_;
  FrameOptions options_;
  std::unique_ptr<Pen> pen_;
};

}  // namespace Atoll::stencil
