// Writeable replicas [shoal §5.4]: write sets compared with a plain list of marked elements, and
// the three update methods with one plain array.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "atoll/array/array.hpp"
#include "atoll/array/epochs.hpp"
#include "atoll/base/error.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

using Granule = WriteSet::Granule;
using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

Runs runs_of(const WriteSet& set, std::size_t first, std::size_t last) {
  Runs runs;
  set.for_each_run(first, last,
                   [&](std::size_t begin, std::size_t end) { runs.emplace_back(begin, end); });
  return runs;
}

TEST(WriteSet, TellsTheGranulesThatWereMarkedInAsFewRunsAsThereAre) {
  std::mt19937 random(3);
  for (const Granule granule : {Granule::line, Granule::page})
    for (int round = 0; round < 200; ++round) {
      const std::size_t unit = static_cast<std::size_t>(granule);
      const std::size_t bytes = 1 + random() % (300 * unit);
      WriteSet set(bytes, granule);
      EXPECT_TRUE(set.empty());
      EXPECT_EQ(runs_of(set, 0, set.blocks()), Runs{});
      std::vector<bool> marked(bytes);
      for (std::uint64_t marks = random() % 20; marks > 0; --marks) {
        const std::size_t begin = random() % bytes;
        const std::size_t count =
            std::min(bytes - begin, random() % (random() % 3 == 0 ? 5000 : 9));
        set.mark(begin, count);
        if (count == 0) continue;
        const std::size_t end = std::min(bytes, ((begin + count - 1) / unit + 1) * unit);
        std::fill(marked.begin() + static_cast<std::ptrdiff_t>(begin / unit * unit),
                  marked.begin() + static_cast<std::ptrdiff_t>(end), true);
      }
      Runs expected;
      for (std::size_t byte = 0; byte < bytes; ++byte) {
        if (!marked[byte]) continue;
        if (expected.empty() || expected.back().second != byte) expected.emplace_back(byte, byte);
        ++expected.back().second;
      }
      ASSERT_EQ(runs_of(set, 0, set.blocks()), expected);
      EXPECT_EQ(set.empty(), expected.empty());
      // If the set is split into two parts, a run may be cut, but every marked element is in one
      // part.
      const std::size_t middle = random() % (set.blocks() + 1);
      std::size_t covered = 0;
      for (const Runs& part : {runs_of(set, 0, middle), runs_of(set, middle, set.blocks())})
        for (const auto& [begin, end] : part) covered += end - begin;
      EXPECT_EQ(covered, static_cast<std::size_t>(std::count(marked.begin(), marked.end(), true)));
      set.clear(0, set.blocks());
      EXPECT_TRUE(set.empty());
    }
}

class Replicas : public testing::Test {
 protected:
  static constexpr std::size_t kSize = 100'003;

  /// Compares every copy with the expected elements.
  void expect_copies(const Array<std::uint32_t>& array,
                     const std::vector<std::uint32_t>& expected) {
    for (std::size_t copy = 0; copy < array.raw().copies(); ++copy)
      expect_copy(array, copy, expected);
  }
  void expect_copy(const Array<std::uint32_t>& array, std::size_t copy,
                   const std::vector<std::uint32_t>& expected) {
    const auto* values = reinterpret_cast<const std::uint32_t*>(array.raw().copy(copy));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), values)) << "copy " << copy;
  }

  const Machine machine_ = memory::four_node_machine();
  const ThreadPlaces places_{{0, NodeId{0}}, {1, NodeId{0}}, {2, NodeId{1}}};
  const Team team_{places_, Team::Runtime::std_threads, false};
  memory::FakeBackend fake_{memory::four_nodes(1 << 16)};
  const memory::Context context_{machine_, team_, fake_};
  std::vector<Layout> layouts_{
      {SingleNode{NodeId{1}}, PageSize::small},
      {Distributed{{NodeId{0}, NodeId{1}}, 4096}, PageSize::small},
      {Replicated{{NodeId{1}, NodeId{0}}}, PageSize::small},
      {Replicated{{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}}}, PageSize::huge}};
};

TEST_F(Replicas, WritesToAllCopiesLeaveNothingToSync) {
  for (const Layout& layout : layouts_) {
    Array<std::uint32_t> array(context_, kSize, layout);
    std::vector<std::uint32_t> expected(kSize);
    team_.run([&](int thread) {
      for (std::size_t i = static_cast<std::size_t>(thread); i < kSize; i += 3)
        array.set_in_all_copies(i, static_cast<std::uint32_t>(i * 7));
    });
    for (std::size_t i = 0; i < kSize; ++i) expected[i] = static_cast<std::uint32_t>(i * 7);
    expect_copies(array, expected);
  }
}

TEST_F(Replicas, SyncBringsWhatIsMarkedAndNothingElse) {
  std::mt19937 random(5);
  for (const Layout& layout : layouts_)
    for (const Granule granule : {Granule::line, Granule::page}) {
      Array<std::uint32_t> array(context_, kSize, layout);
      WriteSet written = array.write_set(granule);
      std::vector<std::uint32_t> expected(kSize);
      for (int round = 0; round < 5; ++round) {
        for (int writes = 0; writes < 50; ++writes) {
          const std::size_t i = random() % kSize;
          expected[i] = static_cast<std::uint32_t>(random());
          array.set(i, expected[i], written);
        }
        array.sync(written);
        EXPECT_TRUE(written.empty());
        expect_copies(array, expected);
      }
      // Elements that aren't marked as written aren't copied.
      std::vector<std::uint32_t> old = expected;
      array.set(0, 1 + expected[0]);
      array.set(kSize - 1, 17, written);
      old[kSize - 1] = 17;
      array.sync(written);
      for (std::size_t copy = 1; copy < array.raw().copies(); ++copy) expect_copy(array, copy, old);
      WriteSet foreign(8);
      EXPECT_THROW(array.sync(foreign), Error);
    }
}

TEST_F(Replicas, EpochsReadTheOldWhileTheNewArrives) {
  memory::CopyEngines engines;
  engines.add(memory::background_engine({.places = places_, .pin = false}));
  std::mt19937 random(6);
  for (const Layout& layout : layouts_)
    for (const Granule granule : {Granule::line, Granule::page}) {
      Epochs<std::uint32_t> epochs(context_, kSize, layout, engines, granule);
      EXPECT_EQ(epochs.size(), kSize);
      std::vector<std::uint32_t> current(kSize), next(kSize);
      for (int epoch = 0; epoch < 12; ++epoch) {
        const std::uint64_t writes = epoch % 4 == 3 ? 0 : epoch % 4 == 2 ? 40'000 : 30;
        for (std::uint64_t write = 0; write < writes; ++write) {
          const std::size_t i = random() % kSize;
          next[i] = static_cast<std::uint32_t>(random());
          epochs.set(i, next[i]);
          EXPECT_EQ(epochs.next(i), next[i]);
        }
        const auto expect_current = [&] {
          team_.run([&](int) {
            const auto local = epochs.local();
            EXPECT_TRUE(std::equal(current.begin(), current.end(), local.begin()));
          });
        };
        expect_current();
        if (epoch % 2 == 0) epochs.propagate();
        expect_current();
        epochs.flip();
        current = next;
        expect_current();
      }
    }
}

TEST_F(Replicas, ManyThreadsWriteOneEpoch) {
  memory::CopyEngines engines;
  engines.add(memory::background_engine({.places = places_, .pin = false}));
  Epochs<std::uint32_t> sums(context_, 5000, layouts_.back(), engines);
  for (std::uint32_t epoch = 1; epoch <= 20; ++epoch) {
    team_.run([&](int thread) {
      const auto old = sums.local();
      for (std::size_t i = static_cast<std::size_t>(thread); i < sums.size(); i += 3)
        sums.set(i, old[i] + old[(i + 1) % sums.size()] + 1);
    });
    sums.propagate();
    sums.flip();
  }
  // all elements are equal: each step computes x' = 2 x + 1
  for (const std::uint32_t value : sums.local()) ASSERT_EQ(value, (1U << 20) - 1);
}

}  // namespace
}  // namespace Atoll
