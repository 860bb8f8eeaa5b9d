// Placement: operands of one operation in the same subarrays, reports, and positions of blocks of
// different shapes.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/pim/device.hpp"
#include "pim_brute_force.hpp"

namespace Atoll::pim {
namespace {

TEST(PimPlacement, BesideAnOperand) {
  const Geometry g{256, 64, 8, 4};
  Device device(g);
  std::vector<Block> others;
  for (std::uint32_t i = 0; i < 4; ++i) others.push_back(device.allocate(Request::raw(3, 40)));
  const Block a = device.allocate(Request::vertical(64, 64));
  const Block b = device.try_allocate_beside(Request::vertical(64, 64), a.where());
  ASSERT_TRUE(b);
  EXPECT_EQ(b.where().bank, a.where().bank);
  EXPECT_EQ(b.where().first.subarray, a.where().first.subarray);
  // Allocations in the operand's subarray succeed until that column is full.
  std::vector<Block> more;
  while (Block next = device.try_allocate_beside(Request::raw(1, 1), a.where()))
    more.push_back(std::move(next));
  BruteForce model(g);
  for (const Rectangle& r : device.blocks()) model.set(r, 1);
  EXPECT_FALSE(model.fit(a.where().bank, {1, 1}, a.where().first.subarray));
  // The request is wider than the space right of the operand, so it never fits.
  const Rectangle last{0, {7, 0}, {1, 1}};
  EXPECT_FALSE(device.try_allocate_beside(Request::raw(2, 1), last));
  EXPECT_THROW(
      static_cast<void>(device.try_allocate_beside(Request::raw(1, 1), {4, {0, 0}, {1, 1}})),
      Error);
}

TEST(PimPlacement, WhatWasAskedOfOneDeviceMeansNothingInAnother) {
  // The same request has different extents in the two devices, or none.
  Device narrow(Geometry{.rows = 256, .columns = 64, .subarrays = 64, .banks = 2});
  Device wide(Geometry{.rows = 256, .columns = 1024, .subarrays = 4, .banks = 2});
  const Request request = Request::vertical(1000, 32);
  const std::vector<Request> operands(2, Request::raw(1, 3));
  const Extent in_narrow = narrow.allocate(request).where().extent;
  ASSERT_EQ(wide.try_allocate_together(operands).size(), 2U);
  const Extent in_wide = wide.allocate(request).where().extent;
  EXPECT_NE(in_wide, in_narrow);
  EXPECT_EQ(in_wide, (Device(wide.geometry()).allocate(request).where().extent));

  const Request too_wide = Request::raw(16, 1);
  ASSERT_TRUE(narrow.allocate(too_wide));
  ASSERT_EQ(wide.try_allocate_together(operands).size(), 2U);
  EXPECT_THROW(static_cast<void>(wide.try_allocate(too_wide)), Error);
}

TEST(PimPlacement, BesideFindsWhateverFits) {
  const Geometry g{130, 64, 6, 1};
  Device device(g);
  BruteForce model(g);
  std::mt19937 random(7);
  std::vector<Block> blocks;
  int misses = 0;
  for (int step = 0; step < 3000; ++step) {
    if (blocks.size() > 12 && random() % 2 == 0) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      model.set(blocks.back().where(), 0);
      blocks.pop_back();
      continue;
    }
    const auto subarray = static_cast<std::uint32_t>(random() % g.subarrays);
    const Extent e{static_cast<std::uint32_t>(1 + random() % 3),
                   static_cast<std::uint32_t>(1 + random() % 70)};
    Block block =
        device.try_allocate_beside(Request::raw(e.subarrays, e.rows), {0, {subarray, 0}, {1, 1}});
    ASSERT_EQ(static_cast<bool>(block), model.fit(0, e, subarray).has_value());
    misses += !block;
    if (!block) continue;
    EXPECT_EQ(block.where().first.subarray, subarray);
    ASSERT_TRUE(model.is_free(block.where()));
    model.set(block.where(), 1);
    blocks.push_back(std::move(block));
  }
  EXPECT_GT(misses, 100);
}

TEST(PimPlacement, Together) {
  const Geometry g{256, 64, 4, 2};
  Device device(g);
  const std::array axpy{Request::vertical(256, 32), Request::vertical(256, 32),
                        Request::vertical(256, 32)};
  std::vector<std::vector<Block>> all;
  while (true) {
    std::vector<Block> operands = device.try_allocate_together(axpy);
    if (operands.empty()) break;
    ASSERT_EQ(operands.size(), 3U);
    for (const Block& operand : operands) {
      EXPECT_EQ(operand.where().bank, operands[0].where().bank);
      EXPECT_EQ(operand.where().first.subarray, operands[0].where().first.subarray);
    }
    all.push_back(std::move(operands));
  }
  EXPECT_EQ(all.size(), 4U * 2 * 2) << "two triples of 3 x 32 rows in each subarray of 256";
  EXPECT_EQ(device.blocks().size(), 48U) << "those that failed left nothing behind";
  EXPECT_TRUE(device.try_allocate_together({}).empty());
  const std::array too_tall{Request::raw(1, 200), Request::raw(1, 57)};
  all.clear();
  EXPECT_TRUE(device.try_allocate_together(too_tall).empty());
  EXPECT_EQ(device.usage().free_units, g.units());
}

TEST(PimPlacement, TogetherNeedsNoCommonRectangle) {
  const Geometry g{64, 64, 1, 1};
  Device device(g);
  std::vector<Block> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(device.allocate(Request::raw(1, 8)));
  blocks.erase(blocks.begin() + 5);
  blocks.erase(blocks.begin() + 2);
  EXPECT_EQ(device.try_allocate_together({{Request::raw(1, 8), Request::raw(1, 8)}}).size(), 2U);
}

TEST(PimPlacement, Report) {
  const Geometry g{16, 64, 4, 2};
  Device device(g);
  EXPECT_EQ(device.usage().fragmentation, 0);
  EXPECT_EQ(device.usage().banks[1].largest_free, (Rectangle{1, {0, 0}, {4, 16}}));
  std::vector<Block> blocks;
  for (std::uint64_t i = 0; i < g.units(); ++i)
    blocks.push_back(device.allocate(Request::raw(1, 1)));
  EXPECT_EQ(device.usage().fragmentation, 0) << "nothing is free";
  // The rest is free: a 2 x 3 rectangle and one unit in bank 0, and one unit in bank 1.
  for (Block& block : blocks) {
    const auto [bank, first, extent] = block.where();
    const bool large =
        first.subarray >= 1 && first.subarray <= 2 && first.row >= 4 && first.row <= 6;
    if ((bank == 0 && (large || first == Place{3, 15})) || (bank == 1 && first == Place{0, 9}))
      device.free(block);
  }
  const Usage usage = device.usage();
  EXPECT_EQ(usage.units, 128U);
  EXPECT_EQ(usage.free_units, 8U);
  EXPECT_EQ(usage.banks[0].free_units, 7U);
  EXPECT_EQ(usage.banks[0].largest_free, (Rectangle{0, {1, 4}, {2, 3}}));
  EXPECT_EQ(usage.banks[1].largest_free, (Rectangle{1, {0, 9}, {1, 1}}));
  EXPECT_DOUBLE_EQ(usage.fragmentation, 1 - 7.0 / 8);
}

TEST(PimPlacement, TallAndWideBlocksGrowFromOppositeEnds) {
  Device device({1024, 64, 16, 1});
  std::vector<Block> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.push_back(device.allocate(Request::raw(1, 256)));
    blocks.push_back(device.allocate(Request::raw(16, 4)));
  }
  // One free rectangle is left.
  EXPECT_EQ(device.usage().fragmentation, 0);
  EXPECT_EQ(device.usage().banks[0].largest_free, (Rectangle{0, {0, 256}, {16, 1024 - 256 - 64}}));
}

}  // namespace
}  // namespace Atoll::pim
