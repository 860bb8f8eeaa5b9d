// The structure score: 0 for uniform, near 1 for groups, the same however threads are numbered.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

#include "profile/communication.hpp"
#include "profile/thresholds.hpp"
#include "profile_support.hpp"

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
  // Of different sizes: 16 and 48, and each a different amount.
  EXPECT_GE(structure_score(matrix_of(
                64, [](std::size_t i, std::size_t j) { return (i < 16) == (j < 16) ? 1.0 : 0.0; })),
            0.9);
  EXPECT_GE(structure_score(matrix_of(64,
                                      [](std::size_t i, std::size_t j) {
                                        return i / 16 == j / 16 ? 1.0 + static_cast<double>(i / 16)
                                                                : 0.0;
                                      })),
            0.9);
}

TEST(ProfileStructure, NeighboursAreStructured) {
  EXPECT_GE(structure_score(
                matrix_of(64, [](std::size_t i, std::size_t j) { return j == i + 1 ? 1.0 : 0.0; })),
            0.9);
}

TEST(ProfileStructure, AGradeOfGrouping) {
  // In blocks of 16 of 64, r times as much inside: the block vectors' eigenvalue of the random walk
  // is (15 r - 16) / (15 r + 48).
  for (const double r : {2.0, 3.0, 6.0, 20.0}) {
    const auto matrix =
        matrix_of(64, [&](std::size_t i, std::size_t j) { return i / 16 == j / 16 ? r : 1.0; });
    EXPECT_NEAR(structure_score(matrix), (15 * r - 16) / (15 * r + 48), 0.01) << r;
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
  EXPECT_LT(structure_score(matrix_of(32, [](std::size_t i, auto) { return i == 0 ? 9.0 : 0.0; })),
            0.1);
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
      matrix_of(64, [](std::size_t i, std::size_t j) { return j == i + 1 ? 1.0 : 0.0; }),
      matrix_of(60, [](std::size_t i, std::size_t j) { return i / 4 == j / 4 ? 1.0 : 0.1; }),
      matrix_of(33, [&](auto, auto) { return static_cast<double>(random() % 5); })};
  for (const CommunicationMatrix& matrix : matrices)
    for (std::uint32_t seed = 0; seed < 5; ++seed)
      EXPECT_NEAR(structure_score(renumbered(matrix, seed)), structure_score(matrix), 1e-3);
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
  EXPECT_EQ(structure_score(communication_of(private_blocks().build())), 0);
}

TEST(ProfileCommunication, BinsAreMeansOfPairs) {
  const auto matrix =
      matrix_of(6, [](std::size_t i, std::size_t j) { return static_cast<double>(10 * i + j); });
  const CommunicationMatrix binned = matrix.binned(3);
  EXPECT_EQ(binned.threads(), 3U);
  EXPECT_DOUBLE_EQ(binned.at(0, 0), 1);  // the pair (0, 1)
  EXPECT_DOUBLE_EQ(binned.at(0, 1), (2.0 + 3 + 12 + 13) / 4);
  EXPECT_EQ(matrix.binned(6).at(1, 4), 14);
}

}  // namespace
}  // namespace Atoll::profile
