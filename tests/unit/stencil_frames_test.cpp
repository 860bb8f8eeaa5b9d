// Colour maps, checked with other formulas than those that generated them, and frames, read back
// with libpng.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/stencil/frames.hpp"
#include "temporary_folder.hpp"

namespace Atoll::stencil {
namespace {

namespace fs = std::filesystem;

/// Converts a colour to CIE L*a*b* (white D65).
std::array<double, 3> cie_lab(const Colour& colour) {
  const auto linear = [](std::uint8_t value) {
    const double x = value / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  const double r = linear(colour.red), g = linear(colour.green), b = linear(colour.blue);
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// Returns the CIEDE2000 difference of two colours.
double difference(const Colour& one, const Colour& other) {
  const auto [l1, a1, b1] = cie_lab(one);
  const auto [l2, a2, b2] = cie_lab(other);
  constexpr double kPi = std::numbers::pi;
  const double mean_chroma = (std::hypot(a1, b1) + std::hypot(a2, b2)) / 2;
  const auto high = [](double c) {
    return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7)));
  };
  const double g = 0.5 * (1 - high(mean_chroma));
  const double c1 = std::hypot(a1 * (1 + g), b1), c2 = std::hypot(a2 * (1 + g), b2);
  const auto angle = [&](double a, double b) {
    const double h = std::atan2(b, a * (1 + g));
    return h < 0 ? h + 2 * kPi : h;
  };
  const double h1 = angle(a1, b1), h2 = angle(a2, b2);
  double dh = h2 - h1, mean_h = (h1 + h2) / 2;
  if (std::abs(dh) > kPi) {
    dh += dh > 0 ? -2 * kPi : 2 * kPi;
    mean_h += mean_h < kPi ? kPi : -kPi;
  }
  const double c = (c1 + c2) / 2, l = (l1 + l2) / 2 - 50, degree = kPi / 180;
  const double t = 1 - 0.17 * std::cos(mean_h - 30 * degree) + 0.24 * std::cos(2 * mean_h) +
                   0.32 * std::cos(3 * mean_h + 6 * degree) -
                   0.20 * std::cos(4 * mean_h - 63 * degree);
  const double sl = 1 + 0.015 * l * l / std::sqrt(20 + l * l), sc = 1 + 0.045 * c;
  const double sh = 1 + 0.015 * c * t;
  const double turn = 30 * degree * std::exp(-std::pow((mean_h / degree - 275) / 25, 2));
  const double dl = (l2 - l1) / sl, dc = (c2 - c1) / sc;
  const double dhue = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2) / sh;
  return std::sqrt(dl * dl + dc * dc + dhue * dhue - std::sin(2 * turn) * 2 * high(c) * dc * dhue);
}

TEST(ColourMaps, TheFormulaOfDifferencesIsRight) {
  EXPECT_NEAR(difference({255, 255, 255}, {0, 0, 0}), 100, 0.01);
  EXPECT_EQ(difference({10, 200, 30}, {10, 200, 30}), 0);
  EXPECT_NEAR(difference({255, 0, 0}, {0, 0, 255}), 52.88,
              0.02);  // reference: published calculators
}

TEST(ColourMaps, LightnessGrowsWithTheValue) {
  const std::vector<Colour> all = colours_of(ColourMap::sequential, 239);
  ASSERT_EQ(all.size(), 239U);
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_GT(cie_lab(all[i])[0], cie_lab(all[i - 1])[0] - 0.15) << i;  // 8-bit rounding
  for (std::size_t i = 8; i < all.size(); ++i)
    EXPECT_GT(cie_lab(all[i])[0], cie_lab(all[i - 8])[0] + 1) << i;
  EXPECT_LT(cie_lab(all.front())[0], 20);
  EXPECT_GT(cie_lab(all.back())[0], 88);
}

TEST(ColourMaps, LightnessFallsToBothSidesOfTheMiddle) {
  const std::vector<Colour> all = colours_of(ColourMap::diverging, 239);
  for (std::size_t i = 8; i <= 119; ++i) {
    EXPECT_GT(cie_lab(all[i])[0], cie_lab(all[i - 8])[0]) << i;
    EXPECT_GT(cie_lab(all[238 - i])[0], cie_lab(all[238 - i + 8])[0]) << i;
    EXPECT_NEAR(cie_lab(all[i])[0], cie_lab(all[238 - i])[0], 6) << i;
  }
  EXPECT_LT(std::hypot(cie_lab(all[119])[1], cie_lab(all[119])[2]), 3) << "the middle has a colour";
  EXPECT_GT(all.front().blue, all.front().red + 60);
  EXPECT_GT(all.back().red, all.back().blue + 60);
}

TEST(ColourMaps, EqualStepsLookEquallyLarge) {
  for (const ColourMap map : {ColourMap::sequential, ColourMap::diverging}) {
    const std::vector<Colour> all = colours_of(map, 33);
    std::vector<double> steps;
    double sum = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      steps.push_back(difference(all[i - 1], all[i]));
      sum += steps.back();
    }
    const double mean = sum / static_cast<double>(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_GT(steps[i], 0.5 * mean) << "map " << static_cast<int>(map) << ", step " << i;
      EXPECT_LT(steps[i], 1.8 * mean) << "map " << static_cast<int>(map) << ", step " << i;
    }
  }
}

/// Content of a PNG file, as read by libpng.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;
  [[nodiscard]] Colour at(int x, int y) const {
    const std::size_t i = 3 * (static_cast<std::size_t>(y) * width + x);
    return {bytes[i], bytes[i + 1], bytes[i + 2]};
  }
  [[nodiscard]] std::set<std::array<std::uint8_t, 3>> colours(int x, int y, int w, int h) const {
    std::set<std::array<std::uint8_t, 3>> all;
    for (int row = y; row < y + h; ++row)
      for (int column = x; column < x + w; ++column) {
        const Colour c = at(column, row);
        all.insert({c.red, c.green, c.blue});
      }
    return all;
  }
};

Picture read_png(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0)
    throw std::runtime_error(path + ": " + png.message);
  png.format = PNG_FORMAT_RGB;
  Picture picture{static_cast<int>(png.width), static_cast<int>(png.height),
                  std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  if (png_image_finish_read(&png, nullptr, picture.bytes.data(), 0, nullptr) == 0)
    throw std::runtime_error(path + ": " + png.message);
  return picture;
}

class FramesTest : public testing::Test {
 protected:
  /// Draws a plane of 200 pixels from `values`, with nx values per row.
  Picture draw(std::vector<double> values, std::int64_t nx, FrameOptions options = {}) {
    options.size = 200;
    const Frames frames((folder_ / "frame").string(), options);
    const auto ny = static_cast<std::int64_t>(values.size()) / nx;
    frames.write(7, 0.25, dense_array("values", values.data(), 2, {nx, ny, 1}));
    return read_png(frames.file(7));
  }

  TemporaryFolder folder_;
  const std::vector<Colour> map_ = colours_of(ColourMap::sequential, 239);
  static constexpr int kLeft = 24, kTop = 60;  // origin of the plane
};

TEST_F(FramesTest, TheFirstRowIsAtTheBottom) {
  const Picture picture = draw({1, 2, 3, 4}, 2, {.range = {{1, 4}}});
  EXPECT_EQ(picture.at(kLeft + 2, kTop + 197), map_.front());
  EXPECT_EQ(picture.at(kLeft + 197, kTop + 2), map_.back());
  const Colour right = picture.at(kLeft + 197, kTop + 197);  // 2 is a third of the range
  EXPECT_LT(difference(right, map_[79]), 1);
  EXPECT_TRUE(fs::exists(folder_ / "frame_000007.png"));
}

TEST_F(FramesTest, TheRangeIsTheValuesOwnUnlessItIsGiven) {
  EXPECT_EQ(draw({-3, 5, 5, 5}, 2).at(kLeft + 2, kTop + 197), map_.front());
  EXPECT_EQ(draw({-3, 5, 5, 5}, 2).at(kLeft + 197, kTop + 2), map_.back());
  EXPECT_EQ(draw({-3, 5, 5, 5}, 2, {.range = {{5, 9}}}).at(kLeft + 100, kTop + 2), map_.front());
  // In a diverging map, the middle colour is for 0.
  const std::vector<Colour> diverging = colours_of(ColourMap::diverging, 239);
  const Picture picture = draw({0, 0, 0, 8}, 2, {.map = ColourMap::diverging});
  EXPECT_EQ(picture.at(kLeft + 2, kTop + 197), diverging[119]);
  EXPECT_EQ(picture.at(kLeft + 197, kTop + 2), diverging.back());
}

TEST_F(FramesTest, ValuesThatArentFiniteAreGrey) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(100, 1.0);
  values[0] = nan;
  values[99] = std::numeric_limits<double>::infinity();
  const Picture picture = draw(values, 10);
  EXPECT_EQ(picture.at(kLeft + 2, kTop + 197), (Colour{150, 150, 150}));
  EXPECT_EQ(picture.at(kLeft + 197, kTop + 2), (Colour{150, 150, 150}));
  EXPECT_EQ(picture.at(kLeft + 100, kTop + 100), map_[119]) << "one value is in the bar's middle";
  EXPECT_EQ(draw(std::vector<double>(4, nan), 2).at(kLeft + 100, kTop + 100),
            (Colour{150, 150, 150}));
}

TEST_F(FramesTest, ManyPointsOfAPixelGiveTheirMean) {
  std::vector<double> values(1000 * 1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 0 : 1;
  // Each pixel covers five points, of which two or three are 1.
  const Picture picture = draw(values, 1000, {.range = {{0, 1}}});
  for (const auto& [red, green, blue] : picture.colours(kLeft, kTop, 200, 200)) {
    const Colour colour{red, green, blue};
    EXPECT_TRUE(colour == map_[95] || colour == map_[143]);
  }
}

TEST_F(FramesTest, TimeAndNumbersAreThere) {
  const auto ink = [](const Picture& picture, int x, int y, int w, int h) {
    int dark = 0;
    for (int row = y; row < y + h; ++row)
      for (int column = x; column < x + w; ++column) dark += picture.at(column, row).green < 100;
    return dark;
  };
  const Picture picture = draw({1, 2, 3, 4}, 2);
  EXPECT_GT(ink(picture, kLeft, 10, 90, 40), 60) << "title";
  EXPECT_GT(ink(picture, kLeft + 110, 10, 90, 40), 60) << "time";
  EXPECT_GT(ink(picture, kLeft + 245, kTop - 10, 80, 220), 60) << "the bar's numbers";
  EXPECT_GT(ink(picture, kLeft, kTop + 204, 180, 40), 60) << "range";
  EXPECT_GT(picture.colours(kLeft + 221, kTop, 16, 200).size(), 150U) << "colour bar";
}

TEST_F(FramesTest, ThinAndHugePlanesAreDrawn) {
  EXPECT_EQ(draw(std::vector<double>(5000, 1), 5000).height, 60 + 24 + 48);
  EXPECT_EQ(draw(std::vector<double>(5000, 1), 1).width, 24 + 24 + 20 + 18 + 92);
  EXPECT_EQ(draw({1}, 1).height, 60 + 200 + 48);
  for (const double huge : {1e300, 1e-300, 1.5e308}) {
    const Picture picture = draw({-huge, 0, 0, huge}, 2);
    EXPECT_EQ(picture.at(kLeft + 2, kTop + 197), map_.front()) << huge;
    EXPECT_EQ(picture.at(kLeft + 197, kTop + 197), map_[119]) << huge;
    EXPECT_EQ(picture.at(kLeft + 197, kTop + 2), map_.back()) << huge;
  }
}

TEST_F(FramesTest, WrongOptionsAndPlanesAreInputErrors) {
  const auto kind_of = [](auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      return static_cast<int>(error.kind());
    }
    return -1;
  };
  constexpr int kInput = static_cast<int>(Error::Kind::input);
  EXPECT_EQ(kind_of([&] { Frames("f", {.range = {{2, 2}}}); }), kInput);
  EXPECT_EQ(kind_of([&] { Frames("f", {.range = {{0, std::nan("")}}}); }), kInput);
  EXPECT_EQ(kind_of([&] { Frames("f", {.size = 0}); }), kInput);
  std::vector<double> values(8, 1);
  const Frames frames((folder_ / "none" / "frame").string(), {});
  EXPECT_EQ(kind_of([&] {
              frames.write(0, 0, dense_array("v", values.data(), 2, {4, 2, 1}));
            }),
            kInput);
  EXPECT_EQ(kind_of([&] {
              frames.write(0, 0, dense_array("v", values.data(), 3, {2, 2, 2}));
            }),
            kInput);
}

TEST(StridedArrays, SlicesAndComponents) {
  std::vector<std::int32_t> values(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  ConstStridedArray array = dense_array("values", values.data(), 3, {3, 4, 5});
  array.components = 2;
  array.component_stride = 4 * 60;
  array.staggered = {true, false, false};
  const auto value = [](const ConstStridedArray& of, std::int64_t x, std::int64_t y) {
    return *reinterpret_cast<const std::int32_t*>(of.at(x, y, 0));
  };
  const ConstStridedArray second = component_of(array, 1);
  EXPECT_EQ(value(slice_of(second, 0, 2), 1, 3), 60 + (3 * 4 + 1) * 3 + 2);
  EXPECT_EQ(value(slice_of(second, 1, 2), 1, 3), 60 + (3 * 4 + 2) * 3 + 1);
  EXPECT_EQ(value(slice_of(second, 2, 4), 1, 3), 60 + (4 * 4 + 3) * 3 + 1);
  EXPECT_EQ(slice_of(second, 1, 0).points, (std::array<std::int64_t, 3>{3, 5, 1}));
  EXPECT_TRUE(slice_of(second, 1, 0).staggered[0]);
  EXPECT_FALSE(slice_of(second, 0, 0).staggered[0]);
  EXPECT_THROW((void)slice_of(array, 2, 5), Error);
  EXPECT_THROW((void)slice_of(array, 3, 0), Error);
  EXPECT_THROW((void)slice_of(slice_of(second, 2, 0), 0, 0), Error);
  EXPECT_THROW((void)component_of(array, 2), Error);
}

}  // namespace
}  // namespace Atoll::stencil
