// Partitions by weights, prefix sums and owners, compared with sums and counts of single elements.
#include "atoll/plan/partition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "atoll/base/error.hpp"
#include "plan/footprint.hpp"

namespace Atoll {
namespace {

std::vector<NodeId> first_nodes(std::uint32_t count) {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < count; ++i) nodes.push_back(NodeId{i});
  return nodes;
}

TEST(Partition, ByWeightsOfTheParts) {
  const std::vector<double> weights{1, 0, 2.5, 0.5};
  const Partitioned parts = partition_by_weights(first_nodes(4), 400, weights);
  EXPECT_EQ(parts.ends, (std::vector<std::uint64_t>{100, 100, 350, 400}));
  // Counts beyond 2^53 aren't exact as doubles. The last part still ends at the last element.
  EXPECT_EQ(partition_by_weights(first_nodes(2), UINT64_MAX, std::vector<double>{1, 0}).ends.back(),
            UINT64_MAX);
  for (const std::vector<double>& wrong :
       {std::vector<double>{}, {1}, {0, 0}, {1, -1}, {1, NAN}, {1, INFINITY}})
    EXPECT_THROW(static_cast<void>(partition_by_weights(first_nodes(2), 10, wrong)), Error);
}

TEST(Partition, ByPrefixSumsIsAsEvenAsBoundsAllow) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> begins{random() % 1000};
    std::uint64_t heaviest = 0;
    for (std::uint64_t n = random() % 300; n > 0; --n) {
      const std::uint64_t weight = random() % 10 == 0 ? random() % 1000 : random() % 5;
      heaviest = std::max(heaviest, weight);
      begins.push_back(begins.back() + weight);
    }
    const auto count = static_cast<std::uint32_t>(1 + random() % 9);
    const Partitioned parts = partition_by_prefix(first_nodes(count), begins);
    ASSERT_EQ(parts.ends.size(), count);
    EXPECT_EQ(parts.ends.back(), begins.size() - 1);
    std::uint64_t begin = 0;
    const double even = static_cast<double>(begins.back() - begins.front()) / count;
    for (const std::uint64_t end : parts.ends) {
      ASSERT_LE(begin, end);
      const auto weight = static_cast<double>(begins[end] - begins[begin]);
      EXPECT_LE(std::abs(weight - even), static_cast<double>(heaviest) + 1);
      begin = end;
    }
  }
  EXPECT_THROW(static_cast<void>(partition_by_prefix({}, std::vector<std::uint64_t>{0})), Error);
  EXPECT_THROW(static_cast<void>(partition_by_prefix(first_nodes(2), {})), Error);
  EXPECT_THROW(
      static_cast<void>(partition_by_prefix(first_nodes(2), std::vector<std::uint64_t>{3, 2})),
      Error);
}

TEST(Partition, APageGoesToTheOwnerOfMostOfIt) {
  std::mt19937 random(8);
  for (const std::uint32_t element_bytes : {4U, 8U, 24U, 4096U, 12288U})
    for (int round = 0; round < 40; ++round) {
      std::vector<NodeId> owners;
      while (owners.size() < 3000)
        owners.insert(owners.end(), 1 + random() % (round < 20 ? 5 : 900),
                      NodeId{static_cast<std::uint32_t>(random() % 4)});
      const Partitioned parts = partition_by_owners(owners, element_bytes, PageSize::small);
      ASSERT_EQ(parts.ends.back(), owners.size());
      // Checks that each page's node, after the layout's rounding, owns most of the page.
      const std::uint64_t bytes = owners.size() * element_bytes;
      std::size_t part = 0;
      for (std::uint64_t page = 0; page < bytes; page += 4096) {
        const auto rounded = [&](std::size_t i) {
          return (parts.ends[i] * element_bytes + 2048) / 4096 * 4096;
        };
        while (part + 1 < parts.ends.size() && rounded(part) <= page) ++part;
        std::map<NodeId, std::uint64_t> owned;
        for (std::uint64_t at = page; at < std::min(bytes, page + 4096); at += 4)
          owned[owners[at / element_bytes]] += 4;
        std::uint64_t most = 0;
        for (const auto& [node, own] : owned) most = std::max(most, own);
        ASSERT_EQ(owned[parts.nodes[part]], most) << element_bytes << " page " << page / 4096;
      }
    }
  EXPECT_THROW(static_cast<void>(partition_by_owners({}, 8, PageSize::small)), Error);
}

TEST(Partition, BoundsMakeTheFootprint) {
  const Layout layout{Partitioned{first_nodes(3), {1000, 1500, 4000}}, PageSize::small};
  const auto footprint = detail::footprint(layout, 4000 * 8, 8);
  // 8000 and 12000 bytes are rounded to 2 and 3 pages
  EXPECT_EQ(footprint,
            (detail::Footprint{{NodeId{0}, 8192}, {NodeId{1}, 4096}, {NodeId{2}, 20480}}));
}

TEST(Partition, WeightedInterleaveGoesRoundByWeights) {
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{1}, NodeId{2}};
  EXPECT_EQ(weighted(nodes, std::vector<std::uint32_t>{2, 0, 1}),
            (std::vector<NodeId>{NodeId{0}, NodeId{0}, NodeId{2}}));
  EXPECT_THROW(static_cast<void>(weighted(nodes, std::vector<std::uint32_t>{1, 2})), Error);
  EXPECT_THROW(static_cast<void>(weighted(nodes, std::vector<std::uint32_t>{0, 0, 0})), Error);
}

}  // namespace
}  // namespace Atoll
