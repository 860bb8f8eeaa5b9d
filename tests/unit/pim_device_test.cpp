// Devices compared with the brute-force allocator: blocks never overlap, every possible fit is
// found, no unit is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/pim/device.hpp"
#include "pim_brute_force.hpp"

namespace Atoll::pim {
namespace {

using Random = std::mt19937_64;

std::uint32_t between(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random() % (high - low + 1));
}

/// Draws sizes of both orientations: mostly small ones, some as large as a bank.
Request draw(Random& random, const Geometry& g) {
  const auto some = [&](std::uint32_t most) {
    const std::uint32_t cap = random() % 8 == 0 ? most : std::max(1U, most / 6);
    return between(random, 1, cap);
  };
  switch (random() % 4) {
    case 0:
      return Request::horizontal(1 + random() % (std::uint64_t{g.columns} / 8 * some(g.subarrays)));
    case 1:
      return Request::vertical(1 + random() % std::max(1U, g.rows / 8));
    case 2:
      return Request::raw(some(g.subarrays), some(g.rows));
    default:
      return Request::raw(random() % 2 == 0 ? 1 : g.subarrays, some(g.rows));
  }
}

/// A device and the brute-force model, to which the same operations are applied.
class Pair {
 public:
  explicit Pair(const Geometry& g) : device(g), model(g) {}

  void allocate(Request request) {
    const Extent extent = extent_of(device.geometry(), request);
    Block block = device.try_allocate(request);
    ASSERT_EQ(static_cast<bool>(block), model.fits_anywhere(extent))
        << extent.subarrays << " subarrays x " << extent.rows << " rows";
    if (block) adopt(std::move(block), extent);
  }
  void adopt(Block block, Extent extent) {
    ASSERT_EQ(block.where().extent, extent);
    ASSERT_TRUE(model.is_free(block.where())) << to_string(block.where());
    model.set(block.where(), ++last_name_);
    blocks.push_back(std::move(block));
  }
  void free(std::size_t index) {
    model.set(blocks[index].where(), 0);
    device.free(blocks[index]);
    EXPECT_FALSE(blocks[index]);
    blocks[index] = std::move(blocks.back());
    blocks.pop_back();
  }
  void check_report() {
    const Usage usage = device.usage();
    std::uint64_t free = 0, largest = 0;
    for (std::uint32_t b = 0; b < device.geometry().banks; ++b) {
      EXPECT_EQ(usage.banks[b].free_units, model.free_units(b));
      EXPECT_EQ(usage.banks[b].largest_free.extent.units(), model.largest_free(b));
      if (usage.banks[b].free_units != 0) {
        EXPECT_TRUE(model.is_free(usage.banks[b].largest_free));
      }
      free += model.free_units(b);
      largest += model.largest_free(b);
    }
    EXPECT_EQ(usage.free_units, free);
    EXPECT_DOUBLE_EQ(usage.fragmentation, free == 0 ? 0 : 1 - double(largest) / double(free));
    std::vector<std::string> there, should;
    for (const Rectangle& r : device.blocks()) there.push_back(to_string(r));
    for (const Block& b : blocks) should.push_back(to_string(b.where()));
    EXPECT_THAT(there, testing::UnorderedElementsAreArray(should));
  }

  Device device;
  BruteForce model;
  std::vector<Block> blocks;

 private:
  std::uint32_t last_name_ = 0;
};

class RandomTraces : public testing::TestWithParam<Geometry> {};

TEST_P(RandomTraces, NoFitIsMissedAndNothingOverlaps) {
  const Geometry g = GetParam();
  for (const int percent : {40, 60, 90}) {  // percentage of units in use before blocks are freed
                                            // randomly
    Random random(static_cast<std::uint64_t>(percent));
    Pair pair(g);
    std::uint64_t used = 0;
    for (int step = 0; step < 1500; ++step) {
      const bool full = used * 100 > g.units() * static_cast<std::uint64_t>(percent);
      if (!pair.blocks.empty() && (full || random() % 3 == 0)) {
        const std::size_t index = random() % pair.blocks.size();
        used -= pair.blocks[index].where().extent.units();
        pair.free(index);
      } else {
        const std::size_t before = pair.blocks.size();
        pair.allocate(draw(random, g));
        if (pair.blocks.size() != before) used += pair.blocks.back().where().extent.units();
      }
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "step " << step;
      if (step % 300 == 0) pair.check_report();
    }
    while (!pair.blocks.empty()) pair.free(random() % pair.blocks.size());
    pair.check_report();
    // All freed units can be allocated again: each bank is one free rectangle.
    for (std::uint32_t b = 0; b < g.banks; ++b) pair.allocate(Request::raw(g.subarrays, g.rows));
    EXPECT_EQ(pair.blocks.size(), g.banks);
    pair.allocate(Request::raw(1, 1));
    EXPECT_EQ(pair.blocks.size(), g.banks);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomTraces,
                         testing::Values(Geometry{128, 64, 8, 2}, Geometry{200, 100, 5, 1},
                                         Geometry{64, 512, 16, 3}, Geometry{7, 64, 3, 4},
                                         Geometry{513, 8, 1, 2}, Geometry{1, 64, 33, 2},
                                         Geometry{300, 64, 17, 1}, Geometry{65, 64, 4, 1}));

TEST(PimDevice, AFullDeviceHoldsEveryUnit) {
  for (const Extent e : {Extent{1, 1},
                         {1, 8},
                         {4, 1},
                         {4, 4},
                         {2, 64},
                         {1, 128},
                         {4, 128},
                         {1, 43},
                         {2, 33},
                         {4, 40},
                         {3, 5}}) {
    const Geometry g{128, 64, 4, 3};
    Pair pair(g);
    const std::uint64_t blocks =
        std::uint64_t{g.rows / e.rows} * (g.subarrays / e.subarrays) * g.banks;
    for (std::uint64_t i = 0; i < blocks; ++i) pair.allocate(Request::raw(e.subarrays, e.rows));
    EXPECT_EQ(pair.blocks.size(), blocks);
    EXPECT_FALSE(pair.device.try_allocate(Request::raw(e.subarrays, e.rows)));
    EXPECT_THROW(static_cast<void>(pair.device.allocate(Request::raw(e.subarrays, e.rows))), Error);
    EXPECT_EQ(pair.device.usage().free_units, g.units() - blocks * e.units());
  }
}

TEST(PimDevice, ARunThatGrewBeyondEverySearchIsFound) {
  // Short searches fail first, so that the device knows little about the column. Then the whole
  // column is freed.
  const Geometry g{1024, 64, 2, 1};
  Pair pair(g);
  for (std::uint64_t i = 0; i < g.units(); ++i) pair.allocate(Request::raw(1, 1));
  for (std::size_t i = pair.blocks.size(); i-- > 0;)
    if ((pair.blocks[i].where().first.row + pair.blocks[i].where().first.subarray) % 2 == 0)
      pair.free(i);
  pair.allocate(Request::raw(1, 2));
  pair.allocate(Request::raw(2, 1));
  while (!pair.blocks.empty()) pair.free(0);
  pair.allocate(Request::raw(1, 1000));
  pair.allocate(Request::raw(1, 1024));
  EXPECT_EQ(pair.blocks.size(), 2U);
}

TEST(PimDevice, ColumnsTallerThanALimitCounts) {
  const Geometry g{70000, 8, 2, 1};
  Device device(g);
  Block most = device.allocate(Request::raw(1, 69999));
  Block other = device.allocate(Request::raw(1, 70000));
  EXPECT_FALSE(device.try_allocate(Request::raw(1, 2)));
  EXPECT_FALSE(device.try_allocate(Request::raw(1, 70000)));
  device.free(most);
  EXPECT_FALSE(device.try_allocate(Request::raw(2, 65535)));
  EXPECT_TRUE(device.try_allocate(Request::raw(1, 70000)));
  device.free(other);
  EXPECT_TRUE(device.try_allocate(Request::raw(2, 70000)));
}

TEST(PimDevice, OnlyWholeBlocksAreFreed) {
  const Geometry g{100, 64, 6, 2};
  Device device(g);
  std::vector<Block> blocks;
  for (const Extent e : {Extent{2, 3}, {1, 1}, {3, 70}, {6, 2}, {1, 64}, {2, 3}, {1, 1}})
    blocks.push_back(device.allocate(Request::raw(e.subarrays, e.rows)));
  const auto before = device.blocks();
  // Tries to free every rectangle that isn't a block.
  std::uint64_t refused = 0;
  for (std::uint32_t row = 0; row < g.rows; row += row < 6 || row > 58 ? 1 : 13)
    for (std::uint32_t s = 0; s < g.subarrays; ++s)
      for (std::uint32_t rows = 1; rows <= g.rows - row; rows += rows < 8 || rows > 60 ? 1 : 7)
        for (std::uint32_t w = 1; w <= g.subarrays - s; ++w) {
          const Rectangle r{blocks[0].where().bank, {s, row}, {w, rows}};
          if (std::find(before.begin(), before.end(), r) != before.end()) continue;
          EXPECT_THROW(device.free(r), Error) << to_string(r);
          ++refused;
        }
  EXPECT_GT(refused, 10000U);
  for (const Rectangle& r : {Rectangle{2, {0, 0}, {1, 1}},
                             {0, {6, 0}, {1, 1}},
                             {0, {0, 100}, {1, 1}},
                             {0, {0, 0}, {0, 1}},
                             {0, {0, 0}, {1, 0}},
                             {0, {1, 0}, {UINT32_MAX, 1}},
                             {0, {0, 1}, {1, UINT32_MAX}},
                             {UINT32_MAX, {0, 0}, {1, 1}}})
    EXPECT_THROW(device.free(r), Error);
  EXPECT_EQ(device.blocks(), before);
}

TEST(PimDevice, FreeingTwiceAndElsewhereIsRefused) {
  const Geometry g{64, 64, 4, 1};
  Device device(g), other(g);
  Block block = device.allocate(Request::horizontal(8)),
        twin = other.allocate(Request::horizontal(8));
  const Rectangle where = block.where();
  EXPECT_THROW(other.free(block), Error);
  EXPECT_TRUE(block) << "an error leaves the block";
  device.free(block);
  EXPECT_FALSE(block);
  EXPECT_THROW(device.free(block), Error);
  EXPECT_THROW(device.free(where), Error);  // freed once: parked, and still marked as used
  EXPECT_EQ(device.usage().free_units, g.units());
  EXPECT_THROW(device.free(where), Error);  // freed once: no longer marked as used
  EXPECT_EQ(other.usage().free_units, g.units() - 1);
  EXPECT_THROW(device.free(twin), Error);
  Block none;
  EXPECT_THROW(device.free(none), Error);
  try {
    device.free(where);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_STREQ(
        error.what(),
        "pim::free: bank 0, subarray 0, row 0 is not a block; it was given back already, or "
        "never allocated here");
  }
}

TEST(PimDevice, ABlockGivesItselfBack) {
  const Geometry g{64, 64, 4, 1};
  Device device(g);
  Rectangle kept;
  {
    Block a = device.allocate(Request::vertical(1)), b = device.allocate(Request::vertical(2));
    Block moved = std::move(a);
    EXPECT_FALSE(a);
    EXPECT_EQ(moved.orientation(), Orientation::vertical);
    EXPECT_EQ(moved.bytes(), 1U);
    b = std::move(moved);  // the assignment frees the old 2 bytes
    EXPECT_EQ(device.usage().free_units, g.units() - 8);
    kept = device.allocate(Request::raw(3, 2)).release();
  }
  EXPECT_EQ(device.usage().free_units, g.units() - 6);
  device.free(kept);
  EXPECT_EQ(device.usage().free_units, g.units());
}

TEST(PimDevice, ErrorsOfRequestsLeaveTheDeviceAlone) {
  const Geometry g{64, 64, 4, 2};
  Device device(g);
  const Block block = device.allocate(Request::horizontal(8));
  for (const Request wrong : {Request::horizontal(0), Request::horizontal(UINT64_MAX),
                              Request::vertical(UINT64_MAX / 8 + 1), Request::raw(5, 1),
                              Request::raw(0, 1), Request::horizontal(8, 65)}) {
    EXPECT_THROW(static_cast<void>(device.try_allocate(wrong)), Error);
    EXPECT_THROW(static_cast<void>(device.try_allocate(wrong)), Error) << "not remembered either";
    EXPECT_THROW(static_cast<void>(device.try_allocate_beside(wrong, block.where())), Error);
    EXPECT_THROW(static_cast<void>(device.try_allocate_together({{Request::raw(1, 1), wrong}})),
                 Error);
  }
  EXPECT_THROW(Device({0, 64, 4, 2}), Error);
  EXPECT_EQ(device.usage().free_units, g.units() - 1);
  EXPECT_TRUE(device.try_allocate(Request::horizontal(8)));
}

TEST(PimDevice, MetadataStaysBelowFourBitsAUnit) {
  const auto bits = [](const Geometry& g) {
    return 8.0 * double(Device(g).metadata_bytes()) / double(g.units());
  };
  EXPECT_LT(bits({1024, 65536, 16, 8}), 2.4);
  for (std::uint32_t subarrays = 1; subarrays <= 16; subarrays *= 2)  // at least 2^10 units
    EXPECT_LE(bits({1024, 65536, subarrays, 1}), 4) << subarrays;
  EXPECT_LE(bits({64, 65536, 16, 1}), 4);
  EXPECT_LE(bits({1024, 65536, 16, 64}), 2.4);  // 2^20 units
}

}  // namespace
}  // namespace Atoll::pim
