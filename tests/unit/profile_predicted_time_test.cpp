// Predicted time: manual calculations for a machine with known figures, and brute force over the
// accesses, from the machine's links and the formulas of docs/cost-model.md.
#include <gtest/gtest.h>

#include <cmath>

#include "profile/summary.hpp"
#include "profile_support.hpp"
#include "profile_time_by_hand.hpp"

namespace Atoll::profile {
namespace {

TEST(ProfilePredictedTime, ByHand) {
  const Machine machine = without_level_3("xeon-x7550");  // 160 and 240 ns, 18 and 9.6 GB/s
  const std::vector<NodeId> nodes{{0}, {1}, {2}, {3}};
  MemoryTraffic memory_traffic{.nodes = 4, .phases = 2};
  memory_traffic.entries = {
      {.phase = 0, .node = 0, .lines = 1e6, .waits = 1e6 / 8},
      {.phase = 0, .node = 1, .lines = 1e6, .waits = 1e6 / 8},
      {.phase = 1, .node = 2, .lines = 1e6, .written = 5e5, .waits = 1e6 / 16}};
  memory_traffic.begin = {0, 3};
  memory_traffic.busiest_part = {{0.5, 1, 0, 0}, {0, 0, 0.25, 0}};
  memory_traffic.work = {{0, 0.001, 0, 0}, {0, 0, 0.002, 0}};
  PhasedTraffic traffic(memory_traffic);
  traffic.add(memory_traffic.of(0), 0);
  const auto norm = [](double a, double b, double c) {
    return std::pow(std::pow(a, 4) + std::pow(b, 4) + std::pow(c, 4), 0.25);
  };
  const double waits = 0.001 + 1e6 * 240e-9 / 8;  // the only thread on node 1
  const double memory = 2e6 * 64 / 18e9;          // node 0's memory serves both threads
  const double port = 1e6 * 64 / 9.6e9 / 3;       // into node 1 over three links
  const double later = 0.002 + 1e6 * 240e-9 / 16 / 4;
  const double written = 5e5 * 64 / 18e9 + 5e5 * 64 / 9e9;
  const double out = std::max(5e5 * 64 / 9.6e9, 5e5 * 64 / 4.8e9) / 3;
  EXPECT_NEAR(PredictedTime(machine, nodes).seconds(traffic, memory_traffic),
              norm(waits, memory, port) + norm(later, written, out), 1e-8);
}

TEST(ProfilePredictedTime, RowsAgreeWithBruteForce) {
  for (const std::string name : {"xeon-x7550", "opteron-8x8", "xeon-2x10"})
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      SyntheticRun run = random_run(seed, 13, 800);
      run.recording.frontend =
          recording::FrontendName::sample;  // all traffic goes to memory, in one phase
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
      EXPECT_NEAR(summary.os_seconds / os, 1, 1e-7) << name;
      EXPECT_DOUBLE_EQ(summary.outcome(Mapping::os).time, 1);
      EXPECT_NEAR(summary.outcome(Mapping::compact).time,
                  seconds(compact_places_of(profile, machine), home) / os, 1e-7);
      EXPECT_NEAR(
          summary.outcome(Mapping::interleave).time,
          seconds(summary.places, [&](std::uint64_t page,
                                      std::size_t) { return page % summary.places.nodes.size(); }) /
              os,
          1e-7);
    }
}

TEST(ProfilePredictedTime, CompactIsLocalButOneMemoryServesIt) {
  const Summary summary = summarise(private_blocks(8).build(), without_level_3("xeon-x7550"));
  const Outcome& compact = summary.outcome(Mapping::compact);
  EXPECT_DOUBLE_EQ(compact.local_share(), 1);
  EXPECT_GT(compact.time, 1.3);
}

TEST(ProfilePredictedTime, WithoutAccessesThereIsNone) {
  const Summary summary = summarise(SyntheticRun(3).build(), without_level_3("xeon-x7550"));
  for (const Mapping mapping : kMappings) EXPECT_EQ(summary.outcome(mapping).time, 1);
}

}  // namespace
}  // namespace Atoll::profile
