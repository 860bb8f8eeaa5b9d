// Search for the fastest tile size.
#include <gtest/gtest.h>

#include "stencil/tuner.hpp"
#include "stencil_chains.hpp"

namespace Atoll::stencil {
namespace {

const std::vector<TileSize> kSizes{{{10}}, {{20}}, {{30}}, {{40}}};

/// Runs chains until the tuner has chosen a size. Returns the number of chains.
int run(Tuner& tuner, const std::vector<double>& seconds, bool worth = true) {
  int chains = 0;
  for (; !tuner.has_finished() && chains < 100; ++chains) tuner.ran(seconds[tuner.now()], worth);
  return chains;
}

TEST(StencilTuner, TheFastestSizeStays) {
  Tuner tuner(kSizes);
  EXPECT_EQ(run(tuner, {5, 4, 3, 6}), 12);  // each size runs twice, the best two run twice more
  EXPECT_EQ(tuner.size(), kSizes[2]);
  tuner.ran(100, true);
  EXPECT_EQ(tuner.size(), kSizes[2]);
}

TEST(StencilTuner, OneSlowRunDecidesNothing) {
  Tuner tuner(kSizes);
  bool first = true;
  while (!tuner.has_finished())
    tuner.ran(tuner.now() == 1 ? (std::exchange(first, false) ? 50 : 2) : 5, true);
  EXPECT_EQ(tuner.size(), kSizes[1]);
}

TEST(StencilTuner, TheFirstSizeStaysUnlessAnotherIsClearlyFaster) {
  Tuner tuner(kSizes);
  run(tuner, {5, 4.95, 7, 7});
  EXPECT_EQ(tuner.size(), kSizes[0]);
}

TEST(StencilTuner, ShortChainsAreNotWorthASearch) {
  Tuner tuner(kSizes);
  EXPECT_EQ(run(tuner, {5, 1, 1, 1}, false), 2);
  EXPECT_EQ(tuner.size(), kSizes[0]);
  EXPECT_TRUE(Tuner(std::vector{TileSize{{7}}}).has_finished());
}

/// Returns a chain of `loops` smoothing steps on a square.
Chain smoothing(int size, int loops) {
  Chain chain;
  chain.meshes.push_back({"square", 2, Range::of(0, size, 0, size)});
  for (const char* name : {"u", "v"})
    chain.fields.push_back({name, 0, Range::of(-1, size + 1, -1, size + 1), {}, 8, false});
  for (int l = 0; l < loops; ++l)
    chain.loops.push_back({"step",
                           0,
                           chain.meshes[0].interior,
                           {{l % 2, AccessMode::read, star(1)}, {1 - l % 2, AccessMode::write, {}}},
                           0});
  return chain;
}

TEST(StencilTuner, TilesFitTheCachesEdgesIncluded) {
  CacheFigures caches;
  caches.l2_bytes = 512 << 10;
  caches.l3_bytes = 32 << 20;
  caches.l3_shared_by = 8;
  const auto sizes = choose_tiles(smoothing(4000, 10), {caches}, 8);
  ASSERT_GE(sizes.size(), 2U);
  for (const TileSize& size : sizes) {
    const double x = size.points[0] == 0 ? 4000 : size.points[0] + 9;
    EXPECT_GT(size.points[1], 3);
    EXPECT_LE(x * (size.points[1] + 9) * 16, 2.1 * (1 << 20)) << to_string(size);
  }
  // A tile as long as a thread's band is equivalent to no tiles, so longer tiles aren't tried.
  for (const int threads : {1, 2, 4})
    for (const TileSize& size : choose_tiles(smoothing(1000, 10), {caches}, threads))
      EXPECT_LT(size.points[1], 1000 / threads) << to_string(size);
  // If the data fit a cache, or if the chain has a single loop, tiles save no time.
  EXPECT_EQ(choose_tiles(smoothing(100, 10), {caches}, 1), std::vector{TileSize{}});
  EXPECT_EQ(choose_tiles(smoothing(4000, 1), {caches}, 1), std::vector{TileSize{}});
}

TEST(StencilTuner, TilesMayFitAMemorySideCache) {
  const Machine machine = Machine::open("knl-7210-cache");
  const TileCaches caches = tile_caches(machine);
  EXPECT_EQ(caches.memory_side_bytes, std::uint64_t{16} << 30);
  constexpr int kThreads = 64, kSize = 100'000;
  const auto longest = [&](const TileCaches& of, int size) {  // of tiles of whole rows
    int rows = 0;
    for (const TileSize& tile : choose_tiles(smoothing(size, 10), of, kThreads))
      if (tile.points[0] == 0) rows = std::max(rows, tile.points[1]);
    return rows;
  };
  // The tiles of all threads take a large part of the cache, with their edges.
  const double bytes = (longest(caches, kSize) + 9.0) * kSize * 16 * kThreads;
  EXPECT_GT(bytes, 0.3 * static_cast<double>(caches.memory_side_bytes));
  EXPECT_LT(bytes, 0.6 * static_cast<double>(caches.memory_side_bytes));
  // Fields that fit the cache need no such tiles; neither does a machine without it.
  EXPECT_LT(longest(caches, 20'000), 50);
  EXPECT_LT(longest({caches.processor}, kSize), 50);
}

}  // namespace
}  // namespace Atoll::stencil
