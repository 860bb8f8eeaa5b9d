// Properties of patterns, as in the columns of Table 1 of the Shoal paper.
#include <gtest/gtest.h>

#include "atoll/pattern/access_pattern.hpp"

namespace Atoll {
namespace {

const Formula kN = Formula::symbol("N");
const Formula kE = Formula::symbol("E");
const Formula kK = Formula::symbol("k");

TEST(AccessPattern, UnusedIsNeitherReadOnlyNorIndexed) {
  const AccessPattern pattern;
  EXPECT_FALSE(pattern.used());
  EXPECT_FALSE(pattern.read_only());
  EXPECT_FALSE(pattern.indexed());
  EXPECT_TRUE(pattern.reads().is_zero());
}

TEST(AccessPattern, IndexedMeansOwnElementsOnly) {
  AccessPattern pattern;
  pattern.accesses = {{false, Order::own, kN}, {true, Order::own, kN}};
  EXPECT_TRUE(pattern.indexed());
  EXPECT_FALSE(pattern.read_only());
  for (const Order order : {Order::near, Order::stream, Order::random}) {
    pattern.accesses = {{false, Order::own, kN}, {false, order, kN}};
    EXPECT_FALSE(pattern.indexed()) << to_string(order);
    EXPECT_TRUE(pattern.read_only());
  }
}

TEST(AccessPattern, CountsByDirectionAndOrder) {
  AccessPattern pattern;
  pattern.accesses = {{false, Order::random, kK * kE},
                      {false, Order::own, kK * kN},
                      {true, Order::own, kN},
                      {true, Order::own, kK * kN}};
  EXPECT_EQ(pattern.reads().to_string(), "k*E + k*N");
  EXPECT_EQ(pattern.writes().to_string(), "k*N + N");
  EXPECT_EQ(pattern.count(false, Order::own), kK * kN);
  EXPECT_EQ(pattern.count(true, Order::own), kK * kN + kN);
  EXPECT_TRUE(pattern.count(true, Order::random).is_zero());
}

TEST(AccessPattern, MergedHasBothUses) {
  AccessPattern old_rank, new_rank;
  old_rank.elements = new_rank.elements = kN;
  old_rank.accesses = {{false, Order::random, kK * kE}};
  new_rank.accesses = {{true, Order::own, kK * kN}};
  new_rank.temporary = true;
  ASSERT_TRUE(new_rank.indexed());
  ASSERT_TRUE(old_rank.read_only());
  new_rank.merge(old_rank);
  EXPECT_FALSE(new_rank.indexed());
  EXPECT_FALSE(new_rank.read_only());
  EXPECT_FALSE(new_rank.temporary);
  EXPECT_EQ(new_rank.reads(), kK * kE);
  EXPECT_EQ(new_rank.writes(), kK * kN);
  EXPECT_EQ(new_rank.elements, kN);
  old_rank.merge(old_rank);
  EXPECT_EQ(old_rank.reads(), 2 * kK * kE);
}

TEST(AccessPattern, FromHints) {
  EXPECT_FALSE(pattern_of({.used = false}).used());
  const AccessPattern lookup = pattern_of({.read_only = true, .accesses_per_element = 4});
  EXPECT_TRUE(lookup.read_only());
  EXPECT_FALSE(lookup.indexed());
  EXPECT_EQ(lookup.count(false, Order::random), 4 * kN);
  const AccessPattern own = pattern_of({.indexed = true, .accesses_per_element = 4});
  EXPECT_TRUE(own.indexed());
  EXPECT_FALSE(own.read_only());
  EXPECT_EQ(own.reads() + own.writes(), 4 * kN);
  EXPECT_EQ(pattern_of({.random = false}).count(true, Order::stream), 5 * kN);
}

}  // namespace
}  // namespace Atoll
