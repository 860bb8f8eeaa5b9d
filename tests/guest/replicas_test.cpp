// Writeable replicas: every page of each copy, in both buffers, is on the copy's node. Copies have
// the written content, and each thread reads the copy on its own node.
#include <numeric>
#include <random>

#include "atoll/array/epochs.hpp"
#include "guest_system.hpp"
#include "hop_updates.hpp"

namespace Atoll::guest {
namespace {

class ReplicasInGuest : public MemoryInGuest {
 protected:
  static constexpr std::size_t kSize = 600'001;

  void expect_placed(const Array<std::uint32_t>& array) const {
    const auto& nodes = std::get<Replicated>(array.layout().where).nodes;
    const auto copies = array.where();
    ASSERT_EQ(copies.size(), nodes.size());
    for (std::size_t copy = 0; copy < nodes.size(); ++copy) {
      EXPECT_EQ(copies[copy].misplaced, 0U);
      for (std::size_t page = 0; page < copies[copy].pages.size(); ++page)
        ASSERT_EQ(node_of(array.raw().copy(copy) + page * kPage), nodes[copy]);
    }
  }
};

TEST_F(ReplicasInGuest, SyncByWriteSet) {
  std::mt19937 random(1);
  for (const auto& nodes : {nodes_, std::vector{nodes_[1], nodes_[0]}})
    for (const WriteSet::Granule granule : {WriteSet::Granule::line, WriteSet::Granule::page}) {
      Array<std::uint32_t> array(context_, kSize, Layout{Replicated{nodes}, PageSize::small});
      WriteSet written = array.write_set(granule);
      std::vector<std::uint32_t> expected(kSize);
      for (int round = 0; round < 3; ++round) {
        for (int writes = 0; writes < 300; ++writes) {
          const std::size_t i = random() % kSize;
          expected[i] = static_cast<std::uint32_t>(random());
          array.set(i, expected[i], written);
        }
        array.sync(written);
        for (std::size_t copy = 0; copy < nodes.size(); ++copy)
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(),
                                 reinterpret_cast<const std::uint32_t*>(array.raw().copy(copy))));
      }
      expect_placed(array);
    }
}

TEST_F(ReplicasInGuest, EpochsAreReadOnTheThreadsOwnNode) {
  memory::CopyEngines engines(team_);
  const std::vector<NodeId> nodes = nodes_of(team_.places());
  Epochs<std::uint32_t> epochs(context_, kSize, Layout{Replicated{nodes}, PageSize::huge}, engines);
  std::vector<std::uint32_t> expected(kSize);
  std::mt19937 random(2);
  for (int epoch = 0; epoch < 6; ++epoch) {
    for (int writes = 0; writes < (epoch == 3 ? 200'000 : 50); ++writes) {
      const std::size_t i = random() % kSize;
      expected[i] = static_cast<std::uint32_t>(random());
      epochs.set(i, expected[i]);
    }
    epochs.propagate();
    epochs.flip();
    team_.run([&](int thread) {
      const auto local = epochs.local();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), local.begin()));
      const NodeId own = team_.places()[static_cast<std::size_t>(thread)].node;
      for (std::size_t i = 0; i < kSize; i += kPage / sizeof(std::uint32_t))
        ASSERT_EQ(node_of(&local[i]), own);
    });
  }
}

TEST_F(ReplicasInGuest, HopDistancesAreRightHoweverTheyAreKept) {
  const bench::HopScene scene(12, 8, team_);
  const std::size_t size = scene.distances.size();
  memory::CopyEngines engines(team_);
  const std::vector<NodeId> two{nodes_[0], nodes_[1]}, four(nodes_.begin(), nodes_.begin() + 4);
  const auto check = [&](const Array<std::uint32_t>& array, std::uint64_t far_seen) {
    EXPECT_EQ(far_seen, scene.far_seen);
    for (std::size_t copy = 0; copy < array.raw().copies(); ++copy)
      EXPECT_TRUE(std::equal(scene.distances.begin(), scene.distances.end(),
                             reinterpret_cast<const std::uint32_t*>(array.raw().copy(copy))));
  };
  for (const Layout& layout :
       {Layout{SingleNode{nodes_[1]}, PageSize::small},
        Layout{Distributed{nodes_, kPage}, PageSize::small},
        Layout{Replicated{two}, PageSize::small}, Layout{Replicated{four}, PageSize::small}}) {
    SCOPED_TRACE(to_string(layout));
    Array<std::uint32_t> synced(context_, size, layout), everywhere(context_, size, layout);
    WriteSet written = synced.write_set();
    check(synced, bench::hop_updates(
                      scene, team_, [&] { return synced.local(); },
                      [&](std::uint32_t v, std::uint32_t d) { synced.set(v, d, written); },
                      [&] { synced.sync(written); }));
    check(
        everywhere,
        bench::hop_updates(
            scene, team_, [&] { return everywhere.local(); },
            [&](std::uint32_t v, std::uint32_t d) { everywhere.set_in_all_copies(v, d); }, [] {}));
    Epochs<std::uint32_t> epochs(context_, size, layout, engines);
    EXPECT_EQ(scene.far_seen, bench::hop_updates(
                                  scene, team_, [&] { return epochs.local(); },
                                  [&](std::uint32_t v, std::uint32_t d) { epochs.set(v, d); },
                                  [&] {
                                    epochs.propagate();
                                    epochs.flip();
                                  }));
    EXPECT_TRUE(std::ranges::equal(epochs.local(), scene.distances));
  }
}

}  // namespace
}  // namespace Atoll::guest
