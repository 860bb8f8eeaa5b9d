// Layout of a frame: title and time above the plane, the colour bar with its numbers to the right,
// the range of the values below.
#include "atoll/stencil/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "stencil/output/image.hpp"
#include "stencil/output/resample.hpp"

namespace Atoll::stencil {
namespace {

// Sizes in pixels.
constexpr int kMargin = 24;
constexpr int kTop = 60;        ///< above the plane
constexpr int kBottom = 48;     ///< below the plane
constexpr int kGap = 20;        ///< between the plane and the colour bar
constexpr int kBar = 18;        ///< width of the colour bar
constexpr int kNumbers = 92;    ///< width of its numbers
constexpr int kLeastSide = 24;  ///< minimum side length of a plane
constexpr int kTitleSize = 21, kTextSize = 15;
constexpr int kFrameGrey = 6, kTickGrey = 9;

struct Ends {
  double low, high;
  /// Relative position: 0 at the low end, 1 at the high end. Uses halves, because a difference may
  /// overflow a double.
  [[nodiscard]] double place_of(double value) const {
    return (value / 2 - low / 2) / (high / 2 - low / 2);
  }
};

/// Returns the values at the ends of the colour bar.
Ends shown_range(const FrameOptions& options, const std::array<double, 2>& found) {
  if (options.range) return {(*options.range)[0], (*options.range)[1]};
  double low = found[0], high = found[1];
  if (std::isnan(low)) return {0, 1};
  if (options.map == ColourMap::diverging) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (low < high) return {low, high};
  const double around = low == 0 ? 1 : std::abs(low) / 2;  // a single value is in the middle of the
                                                           // bar
  return {low - around, high + around};
}

/// Returns 1, 2 or 5 times a power of ten such that at most eight ticks fit the range.
double tick_step(const Ends& range) {
  const double least = range.high / 8 - range.low / 8;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= least) return times * power;
  return 10 * power;
}

std::uint8_t colour_at(double place) {
  if (!std::isfinite(place)) return kNotFinite;
  return static_cast<std::uint8_t>(
      kFirst + static_cast<int>(std::clamp(place, 0.0, 1.0) * (kColours - 1) + 0.5));
}

void draw_outline(Image& image, int x, int y, int w, int h) {
  image.fill(x - 1, y - 1, w + 2, 1, kFrameGrey);
  image.fill(x - 1, y + h, w + 2, 1, kFrameGrey);
  image.fill(x - 1, y, 1, h, kFrameGrey);
  image.fill(x + w, y, 1, h, kFrameGrey);
}

void draw_bar(Image& image, const Font& font, int x, int y, int height, const Ends& range) {
  for (int row = 0; row < height; ++row)
    image.fill(x, y + height - 1 - row, kBar, 1,
               colour_at((row + 0.5) / static_cast<double>(height)));
  draw_outline(image, x, y, kBar, height);
  const double step = tick_step(range);
  const double first = std::ceil(range.low / step - 1e-9);
  int last_line = image.height;  // avoids overlapping numbers if the bar is short
  for (double k = first; k * step <= range.high + 1e-9 * step; ++k) {
    const int line =
        y + height - 1 - static_cast<int>(std::lround(range.place_of(k * step) * (height - 1)));
    if (last_line - line < kTextSize + 2) continue;
    last_line = line;
    image.fill(x + kBar + 1, line, 5, 1, kTickGrey);
    font.draw(image, x + kBar + 11, line + kTextSize * 3 / 8,
              fmt::format("{:.6g}", k == 0 ? 0.0 : k * step), kTextSize);
  }
}

}  // namespace

struct Frames::Pen {
  Font font{};
  std::vector<Colour> palette;
};

Frames::Frames(std::string path, FrameOptions options)
    : path_(std::move(path)), options_(std::move(options)) {
  if (options_.size < 16 || options_.size > 8192)
    throw Error::input(path_, fmt::format("frames can't be {} pixels wide", options_.size),
                       "16 to 8192");
  if (options_.range) {
    const auto [low, high] = *options_.range;
    if (!(low < high) || !std::isfinite(high - low))
      throw Error::input(path_, fmt::format("{} to {} is no range of values", low, high),
                         "give the lower one first");
  }
  pen_ = std::make_unique<Pen>();
  pen_->palette = palette_of(options_.map);
}

Frames::~Frames() = default;
Frames::Frames(Frames&&) noexcept = default;
Frames& Frames::operator=(Frames&&) noexcept = default;

std::string Frames::file(std::int64_t step) const {
  return fmt::format("{}_{:06}.png", path_, step);
}

void Frames::write(std::int64_t step, double time, const ConstStridedArray& plane) const {
  const std::string path = file(step);
  if (plane.dimensions > 2 || plane.components != 1 || plane.size() < 1)
    throw Error::input(path,
                       fmt::format("field '{}' has {} dimensions and {} components", plane.name,
                                   plane.dimensions, plane.components),
                       "take a slice of it and one component");
  double across = options_.extent[0], up = options_.extent[1];
  if (!(across > 0 && up > 0)) {
    across = static_cast<double>(plane.points[0]);
    up = static_cast<double>(plane.points[1]);
  }
  const double scale = options_.size / std::max(across, up);
  const int width = std::max(kLeastSide, static_cast<int>(std::lround(across * scale)));
  const int height = std::max(kLeastSide, static_cast<int>(std::lround(up * scale)));
  const std::array<double, 2> found = range_of(plane);
  const Ends range = shown_range(options_, found);

  Image image(kMargin + width + kGap + kBar + kNumbers, kTop + height + kBottom);
  const std::vector<double> values = resample(plane, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(kMargin + x, kTop + height - 1 - y) = colour_at(
          range.place_of(values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                static_cast<std::size_t>(x)]));
  draw_outline(image, kMargin, kTop, width, height);
  draw_bar(image, pen_->font, kMargin + width + kGap, kTop, height, range);
  const std::string title = options_.title.empty() ? plane.name : options_.title;
  const std::string clock = fmt::format("t = {:#.5g}", time);
  pen_->font.draw(image, kMargin, 38, title, kTitleSize);
  pen_->font.draw(image, kMargin + width - pen_->font.width(clock, kTitleSize), 38, clock,
                  kTitleSize);
  pen_->font.draw(image, kMargin, kTop + height + 30,
                  fmt::format("step {}, values from {:.5g} to {:.5g}", step, found[0], found[1]),
                  kTextSize);

  AtomicFile written(path);
  written.write(png_of(image, pen_->palette, path));
  written.commit();
}

}  // namespace Atoll::stencil
