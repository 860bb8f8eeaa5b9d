// The structure score is 0 for uniform communication, close to 1 for groups, and independent of the
// threads' numbers. For few threads, it equals the score of the best of all groupings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "processor_time.hpp"
#include "profile/communication.hpp"
#include "profile/thresholds.hpp"
#include "profile_support.hpp"
#include "sanitized.hpp"

namespace Atoll::profile {
namespace {

CommunicationMatrix matrix_of(std::size_t threads,
                              const std::function<double(std::size_t, std::size_t)>& amount) {
  CommunicationMatrix matrix(threads);
  for (std::size_t i = 0; i < threads; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, amount(j, i));
  return matrix;
}

CommunicationMatrix renumbered(const CommunicationMatrix& matrix, std::uint32_t seed) {
  std::vector<std::size_t> order(matrix.threads());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, std::mt19937(seed));
  return matrix_of(matrix.threads(),
                   [&](std::size_t i, std::size_t j) { return matrix.at(order[i], order[j]); });
}

CommunicationMatrix ring(std::size_t threads) {
  return matrix_of(threads, [&](std::size_t i, std::size_t j) {
    return j == i + 1 || j == i + threads - 1 ? 1.0 : 0.0;
  });
}

CommunicationMatrix chain(std::size_t threads) {
  return matrix_of(threads, [](std::size_t i, std::size_t j) { return j == i + 1 ? 1.0 : 0.0; });
}

/// Returns a grid in which each thread communicates with its four neighbours.
CommunicationMatrix grid(std::size_t columns, std::size_t rows) {
  return matrix_of(columns * rows, [&](std::size_t i, std::size_t j) {
    return j == i + columns || (j == i + 1 && j % columns != 0) ? 1.0 : 0.0;
  });
}

/// Returns the score of the best partition into equal groups, relative to the mean of all
/// partitions. If threads don't fill all groups, those that communicate least are omitted.
double by_trying_all(const CommunicationMatrix& matrix) {
  std::vector<std::size_t> order(matrix.threads());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return matrix.of(i); });
  double score = 0;
  for (std::size_t size = 2; 2 * size <= order.size(); ++size) {
    if (order.size() % size > 1) continue;
    std::vector<std::size_t> group_of(order.size() / size * size);
    for (std::size_t i = 0; i < group_of.size(); ++i) group_of[i] = i / size;
    double best = 0, sum = 0, ways = 0, all = 0;
    do {
      double inside = 0;
      all = 0;
      for (std::size_t i = 0; i < group_of.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const double amount = matrix.at(order[i], order[j]);
          all += amount;
          if (group_of[i] == group_of[j]) inside += amount;
        }
      best = std::max(best, inside);
      sum += inside;
      ++ways;
    } while (std::ranges::next_permutation(group_of).found);
    const double random = sum / ways;
    score = std::max(score, (best - random) / (all - random));
  }
  return score;
}

TEST(ProfileStructure, OfFewThreadsItIsTheBestOfAllGroups) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> amount(1, 100);
  for (std::size_t threads = 4; threads <= 8; ++threads)
    for (unsigned round = 0; round < 20; ++round) {
      const auto matrix = matrix_of(
          threads, [&](auto, auto) { return random() % 5 < round % 4 ? 0 : amount(random); });
      bool idle = false;
      for (std::size_t i = 0; i < threads; ++i) idle = idle || matrix.of(i) == 0;
      if (idle) continue;
      EXPECT_NEAR(structure_score(matrix), by_trying_all(matrix), 1e-9) << threads;
    }
  EXPECT_NEAR(structure_score(ring(4)), (1.0 / 2 - 1.0 / 3) / (1 - 1.0 / 3), 1e-9);
}

TEST(ProfileStructure, ChainsRingsAndGridsAreStructuredFromFourThreadsOn) {
  for (std::size_t threads = 4; threads <= 70; threads += threads < 20 ? 1 : 11) {
    EXPECT_GT(structure_score(ring(threads)), kStructured) << threads;
    EXPECT_GT(structure_score(chain(threads)), kStructured) << threads;
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
      EXPECT_GT(structure_score(renumbered(ring(threads), seed)), kStructured) << threads;
      EXPECT_GT(structure_score(renumbered(chain(threads), seed)), kStructured) << threads;
    }
  }
  for (std::size_t columns = 2; columns <= 9; ++columns)
    for (std::size_t rows = 2; rows <= columns; ++rows)
      EXPECT_GT(structure_score(renumbered(grid(columns, rows), 3)), kStructured)
          << columns << " x " << rows;
  for (const std::uint32_t threads : {4U, 5U, 7U, 16U})
    EXPECT_GT(structure_score(communication_of(pipeline(threads).build())), kStructured) << threads;
}

TEST(ProfileStructure, ThreeInARingAreAllToAll) {
  EXPECT_NEAR(structure_score(ring(3)), 0, 1e-9);
  EXPECT_NEAR(structure_score(chain(3)), 0, 1e-9);  // thread 1 with 0 and 2
}

TEST(ProfileStructure, UniformIsZero) {
  for (const std::size_t threads : {2, 3, 4, 7, 64, 200})
    EXPECT_NEAR(structure_score(matrix_of(threads, [](auto, auto) { return 7.0; })), 0, 1e-6);
  EXPECT_EQ(structure_score(CommunicationMatrix(8)), 0);
  EXPECT_EQ(structure_score(CommunicationMatrix(0)), 0);
}

TEST(ProfileStructure, DisjointGroupsAreNearOne) {
  for (const std::size_t threads : {4, 6, 16, 64, 100})
    for (const std::size_t group : {2, 3, 8, 16, 32})
      if (2 * group <= threads) {
        const auto matrix = matrix_of(threads, [&](std::size_t i, std::size_t j) {
          return i / group == j / group ? 5.0 : 0.0;
        });
        EXPECT_GE(structure_score(matrix), 0.9) << threads << " in groups of " << group;
      }
  // Each group communicates by a different amount.
  EXPECT_GE(structure_score(matrix_of(64,
                                      [](std::size_t i, std::size_t j) {
                                        return i / 16 == j / 16 ? 1.0 + static_cast<double>(i / 16)
                                                                : 0.0;
                                      })),
            0.9);
}

TEST(ProfileStructure, GroupsOfDifferentSizesGainWhatEqualGroupsCan) {
  // Two groups of 16 and 48 threads, and nodes of 32. One node has 32 of the 48, the other one the
  // remaining 16 and the group of 16: 496 + 2 * 120 of 1128 + 120 pairs are within a node.
  const auto matrix =
      matrix_of(64, [](std::size_t i, std::size_t j) { return (i < 16) == (j < 16) ? 1.0 : 0.0; });
  EXPECT_NEAR(structure_score(matrix), (736.0 / 1248 - 31.0 / 63) / (32.0 / 63), 1e-6);
}

TEST(ProfileStructure, AGradeOfGrouping) {
  // 64 threads in blocks of 16 that communicate r times as much within a block. Four groups keep 15
  // r of 15 r + 48 within a node; random groups keep 15 of 63.
  for (const double r : {2.0, 3.0, 6.0, 20.0}) {
    const auto matrix =
        matrix_of(64, [&](std::size_t i, std::size_t j) { return i / 16 == j / 16 ? r : 1.0; });
    EXPECT_NEAR(structure_score(matrix), 15 * (r - 1) / (15 * r + 48), 1e-6) << r;
  }
}

TEST(ProfileStructure, NoiseIsNoStructure) {
  std::mt19937 random(4);
  for (const std::size_t threads : {16, 64, 128}) {
    const auto matrix =
        matrix_of(threads, [&](auto, auto) { return 100.0 + static_cast<double>(random() % 60); });
    EXPECT_LT(structure_score(matrix), 0.15) << threads;
  }
}

TEST(ProfileStructure, OneThreadThatFeedsAllIsNoStructure) {
  for (const std::size_t threads : {3, 4, 5, 6, 32, 65})
    EXPECT_NEAR(
        structure_score(matrix_of(threads, [](std::size_t i, auto) { return i == 0 ? 9.0 : 0.0; })),
        0, 1e-6)
        << threads;
}

TEST(ProfileStructure, IdleThreadsAndOneClosePairDontCount) {
  const auto with_idle = matrix_of(65, [](std::size_t i, auto) { return i == 0 ? 0.0 : 3.0; });
  EXPECT_NEAR(structure_score(with_idle), 0, 1e-6);
  const auto with_pair = matrix_of(64, [](std::size_t i, std::size_t j) {
    if (j < 2) return 3.0;
    return i < 2 ? 0.0 : 3.0;
  });
  EXPECT_LT(structure_score(with_pair), kStructured);
}

TEST(ProfileStructure, NumbersOfThreadsDontMatter) {
  std::mt19937 random(8);
  std::vector<CommunicationMatrix> matrices{
      chain(64),
      ring(48),
      grid(8, 8),
      grid(7, 5),
      matrix_of(60, [](std::size_t i, std::size_t j) { return i / 4 == j / 4 ? 1.0 : 0.1; }),
      matrix_of(33, [&](auto, auto) { return static_cast<double>(random() % 5); }),
      matrix_of(40, [&](auto, auto) {
        return random() % 9 == 0 ? 1 + static_cast<double>(random() % 50) : 0.0;
      })};
  for (std::size_t m = 0; m < matrices.size(); ++m)
    for (std::uint32_t seed = 0; seed < 5; ++seed)
      EXPECT_NEAR(structure_score(renumbered(matrices[m], seed)), structure_score(matrices[m]),
                  1e-3)
          << m;
}

// The limit is 60 times the time to sort a million numbers (typically it takes 30 to 40), so that a
// slow computer affects both.
TEST(ProfileStructure, ManyThreadsTakeSeconds) {
  std::mt19937 random(6);
  const auto matrix = matrix_of(2048, [&](std::size_t i, std::size_t j) {
    return static_cast<double>(random() % 100) + (i / 32 == j / 32 ? 300.0 : 0.0);
  });
  const auto sorting = [&] {
    std::vector<std::uint32_t> numbers(1'000'000);
    std::generate(numbers.begin(), numbers.end(), random);
    return processor_seconds([&] { std::sort(numbers.begin(), numbers.end()); });
  };
  const double before = sorting();
  const double scoring =
      processor_seconds([&] { EXPECT_GT(structure_score(renumbered(matrix, 1)), 0.05); });
  EXPECT_LT(scoring, 60 * kSlowdown * std::max(before, sorting()));
}

TEST(ProfileStructure, AmountsDontMatter) {
  const auto score = [](double scale) {
    return structure_score(matrix_of(
        24, [&](std::size_t i, std::size_t j) { return scale * (i / 6 == j / 6 ? 4.0 : 1.0); }));
  };
  EXPECT_NEAR(score(1), score(1e9), 1e-9);
}

TEST(ProfileStructure, OfPrograms) {
  EXPECT_LT(structure_score(communication_of(hashsieve_like().build())), 0.1);
  EXPECT_GT(structure_score(communication_of(pipeline().build())), 0.9);
  EXPECT_NEAR(structure_score(communication_of(master_touched().build())), 0, 1e-6);
  EXPECT_EQ(structure_score(communication_of(private_blocks().build())), 0);
}

TEST(ProfileCommunication, BinsAreMeansOfPairs) {
  const auto matrix =
      matrix_of(6, [](std::size_t i, std::size_t j) { return static_cast<double>(10 * i + j); });
  const CommunicationMatrix binned = matrix.binned(3);
  EXPECT_EQ(binned.threads(), 3U);
  EXPECT_DOUBLE_EQ(binned.at(0, 0), 1);  // the cell of the pair (0, 1)
  EXPECT_DOUBLE_EQ(binned.at(0, 1), (2.0 + 3 + 12 + 13) / 4);
  EXPECT_EQ(matrix.binned(6).at(1, 4), 14);
}

}  // namespace
}  // namespace Atoll::profile
