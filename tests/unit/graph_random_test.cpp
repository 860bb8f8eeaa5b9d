// Random numbers: independent of the number of threads, and without patterns that simple statistics
// detect.
#include "atoll/graph/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "atoll/parallel/for_each.hpp"
#include "graph_support.hpp"

namespace Atoll::graph {
namespace {

/// Returns the deviation of Pearson's chi-square statistic, in standard deviations, for equal
/// expected counts. A result above 6 isn't random.
double deviations(const std::vector<std::size_t>& counts) {
  double all = 0;
  for (const std::size_t count : counts) all += static_cast<double>(count);
  const double cells = static_cast<double>(counts.size()), expected = all / cells;
  double statistic = 0;
  for (const std::size_t count : counts)
    statistic += std::pow(static_cast<double>(count) - expected, 2) / expected;
  return (statistic - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

/// Checks that 200,000 draws are uniform over `cells` cells.
void expect_even(std::size_t cells, const std::function<std::uint64_t()>& draw) {
  std::vector<std::size_t> counts(cells);
  for (int i = 0; i < 200'000; ++i) ++counts.at(draw());
  EXPECT_LT(std::abs(deviations(counts)), 6);
}

/// Sequences that programs may derive from a seed.
std::vector<std::pair<const char*, std::function<std::uint64_t()>>> streams(std::uint64_t seed) {
  const Random root(seed);
  std::vector<std::pair<const char*, std::function<std::uint64_t()>>> all;
  all.emplace_back("one generator", [mine = root]() mutable { return mine.next(); });
  all.emplace_back("a fork", [mine = root.fork(17)]() mutable { return mine.next(); });
  all.emplace_back("the first of each fork",
                   [root, i = std::uint64_t{0}]() mutable { return root.fork(i++).next(); });
  all.emplace_back("a fork of one element, loop after loop", [mine = root]() mutable {
    mine.advance();
    return mine.fork(3).next();
  });
  all.emplace_back("forks of forks", [root, i = std::uint64_t{0}]() mutable {
    ++i;
    return root.fork(i % 1000).fork(i / 1000).next();
  });
  all.emplace_back("of seeds in a row",
                   [seed, i = std::uint64_t{0}]() mutable { return Random(seed + i++).next(); });
  // Two independent generators: the XOR of their numbers must be random.
  all.emplace_back("neighbours' difference",
                   [a = root.fork(4), b = root.fork(5)]() mutable { return a.next() ^ b.next(); });
  all.emplace_back("the difference to its fork",
                   [a = root, b = root.fork(0)]() mutable { return a.next() ^ b.next(); });
  all.emplace_back("the difference to an equal element's fork, a loop later",
                   [mine = root, i = std::uint64_t{0}]() mutable {
                     const std::uint64_t before = mine.fork(++i).next();
                     mine.advance();
                     return before ^ mine.fork(i).next();
                   });
  return all;
}

TEST(GraphRandom, AllBitsOfAllStreamsAreEven) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 0xFFFF'FFFF'FFFF'FFFFULL}) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      for (const auto& stream : streams(seed)) {
        const auto& name = stream.first;
        const auto& draw = stream.second;
        SCOPED_TRACE(testing::Message() << name << ", seed " << seed << ", bits from " << shift);
        expect_even(256, [&] { return draw() >> shift & 0xFF; });
      }
    // Tests pairs of consecutive draws. Random walks choose their steps by such pairs.
    for (const auto& stream : streams(seed)) {
      const auto& name = stream.first;
      const auto& draw = stream.second;
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed << ", pairs");
      std::uint64_t before = draw() >> 59;
      expect_even(1024, [&] {
        const std::uint64_t now = draw() >> 59;
        return std::exchange(before, now) * 32 + now;
      });
    }
  }
}

TEST(GraphRandom, UniformAndBelowAreEvenWithinTheirBounds) {
  Random random(1);
  double least = 1, greatest = 0;
  expect_even(1000, [&] {
    const double number = random.uniform();
    least = std::min(least, number);
    greatest = std::max(greatest, number);
    return static_cast<std::uint64_t>(number * 1000);
  });
  EXPECT_GE(least, 0);
  EXPECT_LT(greatest, 1);
  for (const std::int64_t bound : {1, 2, 3, 10, 64, 1000})
    if (bound == 1)
      EXPECT_EQ(random.below(bound), 0);
    else
      expect_even(static_cast<std::size_t>(bound),
                  [&] { return static_cast<std::uint64_t>(random.below(bound)); });
  // With a plain remainder of 64-bit numbers, the lower two thirds would be too frequent for this
  // bound.
  const std::int64_t bound = std::numeric_limits<std::int64_t>::max() / 4 * 3;
  expect_even(3, [&] { return static_cast<std::uint64_t>(random.below(bound)) / (bound / 3 + 1); });
}

TEST(GraphRandom, AForkDependsOnTheSeedTheElementAndHowMuchWasDrawn) {
  std::set<std::uint64_t> firsts;
  std::size_t forks = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    for (int loop = 0; loop < 10; ++loop) {
      for (std::uint64_t element = 0; element < 1000; ++element, ++forks) {
        Random fork = random.fork(element), same = random.fork(element);
        const std::uint64_t first = fork.next();
        EXPECT_EQ(first, same.next());
        firsts.insert(first);
      }
      if (loop % 2 == 0)
        random.advance();
      else
        static_cast<void>(random.next());
    }
  }
  EXPECT_EQ(firsts.size(), forks);
}

TEST(GraphRandom, AForkLeavesTheGeneratorAsItIs) {
  Random random(5), same(5);
  static_cast<void>(random.fork(1).next());
  EXPECT_EQ(random.next(), same.next());
}

TEST(GraphRandom, LoopsDrawTheSameOnAnyNumberOfThreads) {
  const auto draws = [](int threads) {
    Random random(42);
    std::vector<std::int64_t> all(30'000);
    for (int loop = 0; loop < 3; ++loop) {
      for_each(team_of(threads), all.size(), LoopSchedule::dynamic, [&](std::size_t i) {
        Random mine = random.fork(i);
        for (std::size_t draw = 0; draw < i % 5; ++draw)
          all[i] = all[i] * 31 % 65'537 + mine.below(1000);
      });
      random.advance();
    }
    return all;
  };
  const auto one = draws(1);
  EXPECT_EQ(draws(2), one);
  EXPECT_EQ(draws(4), one);
}

/// Programs' results depend on the numbers of a seed, so the numbers may only change with the
/// language's version. The first three are those of SplitMix64 for the state derived from the seed.
TEST(GraphRandom, ASeedsNumbersStayTheSame) {
  // SplitMix64, reimplemented from its definition.
  const auto splitmix = [](std::uint64_t& state) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  };
  std::uint64_t known = 1234567;  // published: the first number of seed 1234567
  EXPECT_EQ(splitmix(known), 6457827717110365317ULL);
  std::uint64_t seed = 1, state = splitmix(seed);
  Random random(1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(random.next(), splitmix(state));
}

}  // namespace
}  // namespace Atoll::graph
