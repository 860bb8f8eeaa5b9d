// Timed kernels perform the accesses that are counted. The chase visits every line once per round.
// Streams load and store every byte of their part, and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "fake_backend.hpp"
#include "measure/kernels.hpp"
#include "measure/memory_probe.hpp"
#include "measure/random_cycle.hpp"

namespace Atoll::measure {
namespace {

TEST(MeasureCycle, EveryLineOnceARound) {
  for (const std::uint64_t lines : {1, 2, 3, 4, 5, 63, 64, 65, 1000, 4096, 65536, 66543}) {
    const RandomCycle cycle(lines);
    std::vector<bool> seen(lines);
    std::uint64_t line = lines / 2;
    for (std::uint64_t step = 0; step < lines; ++step) {
      line = cycle.next(line);
      ASSERT_LT(line, lines);
      ASSERT_FALSE(seen[line]) << line << " again after " << step << " of " << lines;
      seen[line] = true;
    }
    EXPECT_EQ(line, lines / 2);
  }
}

// Counts patterns that a prefetcher could detect: adjacent lines, and repeated strides.
TEST(MeasureCycle, TheOrderLooksRandom) {
  constexpr std::uint64_t kLines = 100'000;
  const RandomCycle cycle(kLines);
  std::map<std::int64_t, int> strides;
  int near = 0;
  std::int64_t line = 0;
  for (std::uint64_t step = 0; step < kLines; ++step) {
    const auto next = static_cast<std::int64_t>(cycle.next(static_cast<std::uint64_t>(line)));
    ++strides[next - line];
    near += std::abs(next - line) <= 64;
    line = next;
  }
  // In a random permutation, 2 · 64 / 100,000 of the steps (128 in total) are that short, and each
  // of the 200,000 possible strides occurs at most about twice.
  EXPECT_LT(near, 200);
  EXPECT_LT(std::max_element(strides.begin(), strides.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; })
                ->second,
            12);
}

TEST(MeasureKernels, ChaseTakesAsManyStepsAsAskedFor) {
  const void* ring[5];
  for (int i = 0; i < 5; ++i) ring[i] = &ring[(i + 2) % 5];
  EXPECT_EQ(chase(&ring[0], 0), &ring[0]);
  EXPECT_EQ(chase(&ring[0], 4), &ring[3]);
  EXPECT_EQ(chase(&ring[3], 1'000'001), &ring[0]);
}

TEST(MeasureKernels, StreamsReachEveryByteOfTheirPartAndNoOther) {
  constexpr std::size_t kWords = 4 * kStep / 8, kMargin = kStep / 8;
  for (const Streams* streams : {&baseline_streams(), &widest_streams()}) {
    alignas(kStep) std::uint64_t from[kWords + 2 * kMargin], to[kWords + 2 * kMargin];
    std::iota(std::begin(from), std::end(from), 1U);
    const auto bytes = [](std::uint64_t* words) {
      return reinterpret_cast<std::byte*>(words + kMargin);
    };
    EXPECT_EQ(streams->read(bytes(from), 8 * kWords),
              std::accumulate(from + kMargin, from + kMargin + kWords, std::uint64_t{0}));

    std::fill(std::begin(to), std::end(to), 7U);
    streams->copy(bytes(from), bytes(to), 8 * kWords);
    EXPECT_TRUE(std::equal(to + kMargin, to + kMargin + kWords, from + kMargin));
    EXPECT_EQ(std::count(std::begin(to), std::end(to), 7U), 2 * kMargin);

    streams->write(bytes(to), 8 * kWords, 99);
    EXPECT_EQ(std::count(std::begin(to), std::end(to), 99U), kWords);
    EXPECT_EQ(std::count(std::begin(to), std::end(to), 7U), 2 * kMargin);
  }
}

class MeasureProbe : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = std::size_t{4} << 20, kLine = 64;

  const Machine machine_ = memory::four_node_machine();
  const Team team_{
      {{0, NodeId{0}}, {1, NodeId{0}}, {2, NodeId{1}}}, Team::Runtime::std_threads, false};
  memory::FakeBackend fake_{memory::four_nodes(4096)};
  const memory::Block block_{
      {machine_, team_, fake_}, kBytes, memory::OnNode{NodeId{1}}, PageSize::huge};
};

TEST_F(MeasureProbe, TheChainGoesThroughEveryLineOfTheBlock) {
  MemoryProbe probe(block_, team_, kLine, kBytes);
  std::set<const void*> lines;
  const void* at = block_.data();
  for (std::size_t i = 0; i < kBytes / kLine; ++i) {
    at = *static_cast<const void* const*>(at);
    EXPECT_EQ((static_cast<const std::byte*>(at) - block_.data()) % kLine, 0U);
    lines.insert(at);
  }
  EXPECT_EQ(at, block_.data());
  EXPECT_EQ(lines.size(), kBytes / kLine);
  EXPECT_EQ(*lines.begin(), block_.data());
  EXPECT_EQ(*lines.rbegin(), block_.data() + kBytes - kLine);
  EXPECT_GT(probe.chase(1000).seconds, 0);
}

TEST_F(MeasureProbe, PassesReachAllOfTheBlockWithAnyNumberOfThreads) {
  MemoryProbe probe(block_, team_, kLine, kBytes);
  const auto* const words = reinterpret_cast<const std::uint64_t*>(block_.data());
  constexpr std::size_t kWords = kBytes / sizeof(std::uint64_t);
  for (int threads = 1; threads <= 3; ++threads) {
    for (std::size_t i = 0; i < kBytes; i += 4096) std::memcpy(block_.data() + i, &i, sizeof i);
    EXPECT_GT(probe.pass(Kernel::read, threads).seconds, 0);
    EXPECT_GT(probe.pass(Kernel::copy, threads).seconds, 0);
    EXPECT_EQ(std::memcmp(block_.data(), block_.data() + kBytes / 2, kBytes / 2), 0);
    EXPECT_EQ(words[4096 / 8], 4096U) << "the first half is what is copied";
    EXPECT_GT(probe.pass(Kernel::write, threads).seconds, 0);
    EXPECT_EQ(std::count(words, words + kWords, words[0]), kWords);
  }
}

TEST_F(MeasureProbe, PassesOverPiecesReachAllOfTheBlockOneAfterTheOther) {
  MemoryProbe probe(block_, team_, kLine, kBytes / 4);
  const auto* const words = reinterpret_cast<const std::uint64_t*>(block_.data());
  constexpr std::size_t kWords = kBytes / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < kBytes; i += 4096) std::memcpy(block_.data() + i, &i, sizeof i);
  for (int piece = 0; piece < 4; ++piece) {
    EXPECT_NE(std::memcmp(block_.data(), block_.data() + kBytes / 2, kBytes / 2), 0);
    static_cast<void>(probe.pass(Kernel::copy, 2));
  }
  EXPECT_EQ(std::memcmp(block_.data(), block_.data() + kBytes / 2, kBytes / 2), 0);
  MemoryProbe writes(block_, team_, kLine, kBytes / 4);
  for (std::size_t piece = 1; piece <= 4; ++piece) {
    static_cast<void>(writes.pass(Kernel::write, 2));
    EXPECT_EQ(std::count(words, words + kWords, words[0]), kWords * piece / 4);
  }
}

}  // namespace
}  // namespace Atoll::measure
