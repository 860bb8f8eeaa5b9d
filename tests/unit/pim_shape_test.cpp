// Rounding of bytes to rows and subarrays, compared with manual calculations.
#include "atoll/pim/shape.hpp"

#include <gtest/gtest.h>

#include "atoll/base/error.hpp"

namespace Atoll::pim {
namespace {

/// The paper's device [imi Table 3].
constexpr Geometry kPaper{1024, 65536, 16, 8};

Extent horizontal(std::uint64_t bytes, std::uint32_t w = 0, const Geometry& g = kPaper) {
  return extent_of(g, Request::horizontal(bytes, w));
}
Extent vertical(std::uint64_t bytes, std::uint32_t w = 0, const Geometry& g = kPaper) {
  return extent_of(g, Request::vertical(bytes, w));
}

TEST(PimShape, Horizontal) {
  EXPECT_EQ(horizontal(1), (Extent{1, 1}));
  EXPECT_EQ(horizontal(8192), (Extent{1, 1}));  // one row of one subarray is 65536 bits
  EXPECT_EQ(horizontal(8193), (Extent{2, 1}));
  EXPECT_EQ(horizontal(16 * 8192), (Extent{16, 1}));
  EXPECT_EQ(horizontal(17 * 8192), (Extent{9, 2}));  // 18 units; rounding to powers of two gives 32
  EXPECT_EQ(horizontal(1 << 20), (Extent{16, 8}));   // [imi Table 1]: 1024 of these fill the device
  EXPECT_EQ(horizontal(128 << 20), (Extent{16, 1024}));
  // Elements don't cross units: 100 columns hold 3 elements of 32 bits, which are 12 bytes.
  const Geometry odd{10, 100, 4, 1};
  EXPECT_EQ(horizontal(12, 32, odd), (Extent{1, 1}));
  EXPECT_EQ(horizontal(13, 32, odd), (Extent{2, 1}));
  EXPECT_EQ(horizontal(12, 0, odd), (Extent{1, 1}));
  EXPECT_EQ(horizontal(13, 0, odd), (Extent{2, 1}));
}

TEST(PimShape, Vertical) {
  // [imi Table 2]: 8 to 128 bytes take 64 to 1024 rows. [imi Table 1]: 67,108,864 bits take one
  // subarray.
  EXPECT_EQ(vertical(8), (Extent{1, 64}));
  EXPECT_EQ(vertical(16), (Extent{1, 128}));
  EXPECT_EQ(vertical(128), (Extent{1, 1024}));
  EXPECT_EQ(vertical(129), (Extent{1, 1024}));
  EXPECT_EQ(vertical(67108864 / 8), (Extent{1, 1024}));
  EXPECT_EQ(vertical(67108864 / 8 + 1), (Extent{2, 1024}));
  // 64 rows hold 65536 elements of 64 bits.
  EXPECT_EQ(vertical(8, 64), (Extent{1, 64}));
  EXPECT_EQ(vertical(65536 * 8, 64), (Extent{1, 64}));
  EXPECT_EQ(vertical(65537 * 8, 64), (Extent{1, 128}));
  EXPECT_EQ(vertical(16 * 65536 * 8, 64), (Extent{1, 1024}));
  EXPECT_EQ(vertical(17 * 65536 * 8, 64), (Extent{2, 9 * 64}));
  EXPECT_EQ(vertical(9, 12), (Extent{1, 12}));  // 72 bits are 6 elements
  // A column of 100 rows holds one layer of 64-bit elements.
  EXPECT_EQ(vertical(10 * 8, 64, {100, 10, 4, 1}), (Extent{1, 64}));
  EXPECT_EQ(vertical(11 * 8, 64, {100, 10, 4, 1}), (Extent{2, 64}));
}

TEST(PimShape, WhatCannotFitIsRefused) {
  EXPECT_THROW(horizontal(0), Error);
  EXPECT_THROW(vertical(0), Error);
  EXPECT_THROW(horizontal((128 << 20) + 1), Error);  // exceeds a bank
  EXPECT_THROW(vertical((128 << 20) + 1), Error);
  EXPECT_THROW(horizontal(UINT64_MAX), Error);
  EXPECT_THROW(vertical(UINT64_MAX), Error);
  EXPECT_THROW(vertical(UINT64_MAX / 8 + 2, 64), Error);  // the number of bits overflows
  EXPECT_THROW(horizontal(8, 65537), Error);
  EXPECT_THROW(vertical(8, 1025), Error);
  EXPECT_THROW(horizontal(8, 0, {8, 7, 1, 1}), Error);  // seven columns are less than a byte
  for (const auto& [subarrays, rows] : {std::pair{0U, 1U}, {1U, 0U}, {17U, 1U}, {1U, 1025U}})
    EXPECT_THROW(static_cast<void>(extent_of(kPaper, Request::raw(subarrays, rows))), Error);
}

TEST(PimShape, Geometries) {
  EXPECT_NO_THROW(check(kPaper));
  EXPECT_NO_THROW(check({1U << 31, UINT32_MAX, 1, 1}));
  for (const Geometry& g : {Geometry{0, 1, 1, 1},
                            {1, 0, 1, 1},
                            {1, 1, 0, 1},
                            {1, 1, 1, 0},
                            {1U << 31, 1, 2, 1},
                            {UINT32_MAX, 1, UINT32_MAX, UINT32_MAX}})
    EXPECT_THROW(check(g), Error);
}

TEST(PimShape, Rectangles) {
  EXPECT_EQ(to_string(Rectangle{1, {2, 3}, {4, 5}}), "bank 1, subarrays 2-5, rows 3-7");
  EXPECT_EQ(to_string(Rectangle{0, {2, 3}, {1, 1}}), "bank 0, subarray 2, row 3");
}

}  // namespace
}  // namespace Atoll::pim
