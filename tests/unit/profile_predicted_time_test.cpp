// Predicted time: by hand on a machine of known figures, and against brute force over the accesses,
// from the machine's links and docs/cost-model.md's formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "profile/summary.hpp"
#include "profile_support.hpp"
#include "profile_time_by_hand.hpp"

namespace Atoll::profile {
namespace {

TEST(ProfilePredictedTime, ByHand) {
  const Machine machine = Machine::open("xeon-x7550");  // 160 and 240 ns, 18 and 9.6 GB/s
  const std::vector<NodeId> nodes{{0}, {1}, {2}, {3}};
  TrafficMatrix traffic(4);
  traffic.add(0, 0, 1e6);
  traffic.add(1, 0, 1e6);
  const std::vector<double> part{0.5, 1, 0, 0};
  const double waits = 1e6 * 240e-9 / 8;     // node 1's one thread
  const double memory = 2e6 * 64 / 18e9;     // node 0 serves both
  const double port = 1e6 * 64 / 9.6e9 / 3;  // into node 1, over three links
  EXPECT_NEAR(PredictedTime(machine, nodes).seconds(traffic, part),
              std::pow(std::pow(waits, 4) + std::pow(memory, 4) + std::pow(port, 4), 0.25), 1e-9);
}

TEST(ProfilePredictedTime, RowsAgreeWithBruteForce) {
  for (const std::string name : {"xeon-x7550", "opteron-8x8", "xeon-2x10"})
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      const SyntheticRun run = random_run(seed, 13, 800);
      const Profile profile = run.build();
      const Machine machine = Machine::open(name);
      const Summary summary = summarise(profile, machine);
      const auto seconds = [&](const Places& places, auto&& memory_of) {
        return seconds_by_hand(machine, places, run, [&](std::uint64_t page, std::uint32_t first) {
          return memory_of(page, places.nodes_of_threads[first]);
        });
      };
      const auto home = [](std::uint64_t, std::size_t node) { return node; };
      const double os = seconds(summary.places, home);
      EXPECT_NEAR(summary.os_seconds / os, 1, 1e-9) << name;
      EXPECT_DOUBLE_EQ(summary.outcome(Mapping::os).time, 1);
      EXPECT_NEAR(summary.outcome(Mapping::compact).time,
                  seconds(compact_places_of(profile, machine), home) / os, 1e-9);
      EXPECT_NEAR(
          summary.outcome(Mapping::interleave).time,
          seconds(summary.places, [&](std::uint64_t page,
                                      std::size_t) { return page % summary.places.nodes.size(); }) /
              os,
          1e-9);
    }
}

TEST(ProfilePredictedTime, CompactIsLocalButOneMemoryServesIt) {
  const Summary summary = summarise(private_blocks(8).build(), Machine::open("xeon-x7550"));
  const Outcome& compact = summary.outcome(Mapping::compact);
  EXPECT_DOUBLE_EQ(compact.local_share(), 1);
  EXPECT_GT(compact.time, 1.3);
}

TEST(ProfilePredictedTime, WithoutAccessesThereIsNone) {
  const Summary summary = summarise(SyntheticRun(3).build(), Machine::open("xeon-x7550"));
  for (const Mapping mapping : kMappings) EXPECT_EQ(summary.outcome(mapping).time, 1);
}

}  // namespace
}  // namespace Atoll::profile
