// C-AMAT: the paper's example, and random accesses compared with a tick-by-tick count.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "simulate/camat.hpp"

namespace Atoll::simulate {
namespace {

TEST(SimulateCamat, TheExampleOfThePaper) {  // [gpgpu-camat Figure 3]
  const std::vector<Ticks> starts{1, 1, 3, 4, 4, 6, 6, 9, 9, 11};
  const std::vector<Ticks> penalties{0, 3, 0, 3, 0, 7, 3, 0, 7, 3};
  CamatMeter meter;
  for (std::size_t i = 0; i < starts.size(); ++i)
    meter.add(starts[i], starts[i] + 2, starts[i] + 2 + penalties[i]);
  meter.finish();
  const CamatSums& sums = meter.sums();
  EXPECT_DOUBLE_EQ(sums.camat(), 1.7);
  EXPECT_DOUBLE_EQ(sums.camat_of_five(), 1.7);
  EXPECT_DOUBLE_EQ(sums.hit_concurrency(), 20.0 / 11);
  EXPECT_DOUBLE_EQ(sums.miss_concurrency(), 13.0 / 6);
  EXPECT_DOUBLE_EQ(sums.pure_miss_ratio(), 5.0 / 10);
  EXPECT_DOUBLE_EQ(sums.pure_miss_penalty(), 13.0 / 5);
}

TEST(SimulateCamat, RandomAccessesAgreeWithCountingEachTick) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    struct One {
      Ticks start, hit_end, end;
    };
    std::vector<One> all;
    Ticks at = 0;
    for (int i = 0; i < 60; ++i) {
      at += random() % 5;
      const Ticks penalty = random() % 3 == 0 ? 1 + static_cast<Ticks>(random() % 20) : 0;
      all.push_back({at, at + 4, at + 4 + penalty});
    }
    CamatMeter meter;
    // Adds the accesses in groups, as quanta do. Their order within a group is random.
    for (std::size_t begin = 0; begin < all.size(); begin += 10) {
      std::vector<One> group(all.begin() + static_cast<long>(begin),
                             all.begin() + static_cast<long>(begin) + 10);
      meter.finalize_until(group.front().start);
      if (round % 2 == 1) std::shuffle(group.begin(), group.end(), random);
      for (const One& one : group) {
        if (round % 2 == 0 && (round % 4 == 0 || one.end == one.hit_end))
          meter.add_in_order(one.start, one.hit_end, one.end);
        else
          meter.add(one.start, one.hit_end, one.end);
      }
    }
    meter.finish();
    CamatSums expected;
    std::vector<Ticks> pure(all.size());
    expected.accesses = all.size();
    for (Ticks tick = 0; tick < at + 30; ++tick) {
      Ticks hits = 0, misses = 0;
      for (const One& one : all) {
        hits += one.start <= tick && tick < one.hit_end;
        misses += one.hit_end <= tick && tick < one.end;
      }
      expected.hit_time += hits;
      expected.hit_active += hits > 0;
      expected.active += hits + misses > 0;
      if (hits > 0 || misses == 0) continue;
      expected.pure_miss_active += 1;
      expected.pure_miss_time += misses;
      for (std::size_t i = 0; i < all.size(); ++i)
        pure[i] += all[i].hit_end <= tick && tick < all[i].end;
    }
    for (const Ticks ticks : pure) expected.pure_misses += ticks > 0;
    const CamatSums& sums = meter.sums();
    EXPECT_EQ(sums.accesses, expected.accesses);
    EXPECT_EQ(sums.hit_time, expected.hit_time);
    EXPECT_EQ(sums.hit_active, expected.hit_active);
    EXPECT_EQ(sums.active, expected.active);
    EXPECT_EQ(sums.pure_miss_time, expected.pure_miss_time);
    EXPECT_EQ(sums.pure_miss_active, expected.pure_miss_active);
    EXPECT_EQ(sums.pure_misses, expected.pure_misses);
  }
}

}  // namespace
}  // namespace Atoll::simulate
