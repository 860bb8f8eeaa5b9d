// Tests that a set of hashes contains exactly the hashes that were added.
#include "affinity/known_parts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::affinity {
namespace {

TEST(KnownParts, AreThoseThatWereAdded) {
  std::mt19937_64 random(5);
  KnownParts known;
  std::vector<std::uint64_t> hashes{0};
  while (hashes.size() < 20'000) hashes.push_back(random() & ~std::uint64_t{1});
  for (const std::uint64_t hash : hashes) {
    EXPECT_FALSE(known.contains(hash));
    known.add(hash);
  }
  for (const std::uint64_t hash : hashes) {
    EXPECT_TRUE(known.contains(hash));
    EXPECT_FALSE(known.contains(hash ^ 2));
    EXPECT_FALSE(known.contains(hash ^ std::uint64_t{1} << 63));
  }
}

}  // namespace
}  // namespace Atoll::affinity
