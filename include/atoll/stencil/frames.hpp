// Images of a field while a program runs: PNG files of a plane's values in colours, with a colour
// bar, the time and the range of the values. All frames of a series have the same size and palette,
// so that they can be combined into an animation (demo/animate.py).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "atoll/stencil/colour_map.hpp"
#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// Appearance of frames.
struct FrameOptions {
  std::string title;  ///< above the image; UTF-8
  ColourMap map = ColourMap::sequential;
  /// Values at the ends of the colour bar. If not given, each frame uses its own minimum and
  /// maximum; a diverging map extends equally far on both sides of 0.
  std::optional<std::array<double, 2>> range{};
  int size = 800;  ///< length of the plane's longer side in pixels, 16 to 8192
  /// Width and height of the plane in any unit; 0 means that points are squares.
  std::array<double, 2> extent{0, 0};
};

/// A series of frames: FOLDER/NAME_000123.png for step 123. The first row of points is at the
/// bottom. Values that aren't finite are grey.
class Frames {
 public:
  /// `path` is FOLDER/NAME; the folder must exist. Throws Error: input if an option is wrong,
  /// failed if the system has no font.
  Frames(std::string path, FrameOptions options);
  ~Frames();
  Frames(Frames&&) noexcept;
  Frames& operator=(Frames&&) noexcept;

  /// Writes the frame of a step atomically. Throws Error: input if `plane` isn't an array of one
  /// component in one or two dimensions or the folder isn't writable; failed if writing fails.
  void write(std::int64_t step, double time, const ConstStridedArray& plane) const;

  /// Name of a step's file.
  [[nodiscard]] std::string file(std::int64_t step) const;

 private:
  struct Pen;
  std::string path_;
  FrameOptions options_;
  std::unique_ptr<Pen> pen_;
};

}  // namespace Atoll::stencil
