// Analyses, compared with manual calculations, and with brute force over random runs.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "profile/balance.hpp"
#include "profile/exclusivity.hpp"
#include "profile/footprint.hpp"
#include "profile/sharing.hpp"
#include "profile/what_if.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

/// Assigns thread i to node i mod `nodes`.
Places round_robin(std::size_t threads, std::uint32_t nodes) {
  Places places;
  for (std::uint32_t node = 0; node < nodes; ++node) places.nodes.push_back({node});
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    places.nodes_of_threads.push_back(thread % nodes);
  return places;
}

/// Two objects with three used pages. Page 0 of the first is used equally by nodes 0 and 1. Page 1
/// has 10 accesses: 1 from node 0, 9 from node 1. The second object is used by node 0.
SyntheticRun small_run() {
  SyntheticRun run(2);
  const std::uint32_t first = run.object("a", 1, 8192);
  const std::uint32_t second = run.object("b", 2, 4096);
  run.touch(0, first, 0, 20, 0, 0b01);
  run.touch(1, first, 8, 20, 0, 0b10);
  run.touch(0, first, 4096, 0, 1, 0b01);
  run.touch(1, first, 4096, 9, 0, 0b11110);
  run.touch(0, second, 0, 50, 0, 0b01);
  return run;
}

TEST(ProfileAnalyses, ExclusivityByHand) {
  const Profile profile = small_run().build();
  const Exclusivity found = exclusivity(pages_by_node(profile, round_robin(2, 2)), 2);
  EXPECT_DOUBLE_EQ(found.of_objects[0], (20.0 + 9) / 50);
  EXPECT_DOUBLE_EQ(found.of_objects[1], 1);
  EXPECT_DOUBLE_EQ(found.program, (20.0 + 9 + 50) / 100);
  const std::vector<std::uint64_t> alike{5, 5, 5, 5}, none(4);
  EXPECT_DOUBLE_EQ(exclusivity_of(alike), 0.25);
  EXPECT_EQ(exclusivity_of(none), 0);
}

TEST(ProfileAnalyses, BalanceByHand) {
  const Profile profile = small_run().build();
  const Places places = round_robin(2, 2);
  const Balances found = balance(pages_by_node(profile, places), places, 2);
  EXPECT_EQ(found.program, (Balance{{3, 0}, {100, 0}}));
  EXPECT_EQ(found.of_objects[0], (Balance{{2, 0}, {50, 0}}));
}

TEST(ProfileAnalyses, FootprintByHand) {
  const Footprint found = footprint(pages_by_node(small_run().build(), round_robin(2, 2)), 20, 2);
  ASSERT_EQ(found.program.size(), 20U);
  EXPECT_EQ(found.program[0], 3U);
  EXPECT_EQ(found.program[1], 2U);
  EXPECT_EQ(found.of_objects[0][1], 2U);
  EXPECT_EQ(found.of_objects[1][1], 0U);
  EXPECT_EQ(found.program[4], 1U);
  EXPECT_EQ(found.program[5], 0U);
}

TEST(ProfileAnalyses, WhatIfByHand) {
  const Profile profile = small_run().build();
  const Places places = round_robin(2, 2);
  const PagesByNode pages = pages_by_node(profile, places);
  const auto of = [&](Mapping mapping) { return what_if(mapping, pages, places, 2); };
  EXPECT_DOUBLE_EQ(of(Mapping::os).program.local_share(), (20.0 + 1 + 50) / 100);
  EXPECT_DOUBLE_EQ(of(Mapping::os).program.busiest_share(), 1);
  EXPECT_DOUBLE_EQ(of(Mapping::locality).program.local, 20 + 9 + 50);
  EXPECT_DOUBLE_EQ(of(Mapping::locality).program.loads[1], 10);
  // Interleaved by page number: pages 0 and 2 are on node 0, page 1 is on node 1.
  EXPECT_DOUBLE_EQ(of(Mapping::interleave).program.local, 20 + 9 + 50);
  // Sampled epochs: two for page 0, five for page 1, one for page 2.
  EXPECT_DOUBLE_EQ(of(Mapping::numa_balancing).of_objects[0].local,
                   (20.0 / 3 + 2.0 / 3 * 20) + (1.0 / 6 + 5.0 / 6 * (9 * 0.9 + 1 * 0.1)));
  EXPECT_DOUBLE_EQ(of(Mapping::kmaf).of_objects[0].local, 20 + (4.0 / 6 * 1 + 2.0 / 6 * 9));
  EXPECT_DOUBLE_EQ(of(Mapping::kmaf).of_objects[1].local, 50);
  // 50 accesses go to node 0, 40 to node 1, and the last 10 to node 1, which has less load.
  EXPECT_DOUBLE_EQ(of(Mapping::balance).program.busiest_share(), 0.5);
  EXPECT_DOUBLE_EQ(of(Mapping::balance).program.local, 50 + 20 + 9);
}

TEST(ProfileAnalyses, WithoutEpochsSamplesAreMany) {
  SyntheticRun run = small_run();
  run.recording.epochs = 1;
  const PagesByNode pages = pages_by_node(run.build(), round_robin(2, 2));
  for (const PageRow& row : pages.rows) EXPECT_EQ(row.samples, kSamplesUnknown);
}

TEST(ProfileAnalyses, SharingOfTheProgramIsTheSum) {
  SyntheticRun run = small_run();
  const Sharing sum = sharing_of_program(run.build());
  EXPECT_EQ(sum.private_lines, 2U);      // the second object's line, and page 1 after its
                                         // initialization
  EXPECT_EQ(sum.read_shared_lines, 1U);  // the line of page 0
  EXPECT_EQ(sum.communication, 20U + 1);
}

/// Recomputes every result from the single accesses.
TEST(ProfileAnalyses, AgreeWithBruteForceOnRandomRuns) {
  for (std::uint32_t seed = 20; seed < 26; ++seed) {
    const SyntheticRun run = random_run(seed);
    const Profile profile = run.build();
    const std::size_t objects = profile.recording.objects.size();
    constexpr std::uint32_t kNodes = 4;
    const Places places = round_robin(9, kNodes);
    const PagesByNode pages = pages_by_node(profile, places);

    double all = 0, highest = 0;
    std::vector<double> pages_of(kNodes), loads(kNodes), epochs(20);
    std::map<Mapping, double> local;
    for (const auto& [key, threads] : run.pages()) {
      std::vector<double> counts(kNodes);
      std::uint64_t seen = 0, first = ~std::uint64_t{0};
      std::uint32_t home = 0;
      for (const auto& [thread, row] : threads) {
        counts[thread % kNodes] += static_cast<double>(row.reads + row.writes);
        seen |= row.epochs;
        if (row.first_access < first) {
          first = row.first_access;
          home = thread % kNodes;
        }
      }
      const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
      const auto best =
          static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
      all += sum;
      highest += counts[best];
      ++pages_of[home];
      loads[home] += sum;
      for (std::size_t epoch = 0; epoch < 20; ++epoch)
        epochs[epoch] += static_cast<double>(seen >> epoch & 1U);
      local[Mapping::os] += counts[home];
      local[Mapping::interleave] += counts[key.second % kNodes];
      local[Mapping::locality] += counts[best];
      const double samples = std::popcount(seen), periods = samples + 1;
      double squares = 0;
      for (const double count : counts) squares += count * count / sum;
      local[Mapping::numa_balancing] += counts[home] / periods + samples / periods * squares;
      const double moved = samples >= 4 && counts[best] > sum / 2 ? 1 - 4 / periods : 0;
      local[Mapping::kmaf] += (1 - moved) * counts[home] + moved * counts[best];
    }
    EXPECT_NEAR(exclusivity(pages, objects).program, highest / all, 1e-12);
    const Balance found = balance(pages, places, objects).program;
    for (std::size_t node = 0; node < kNodes; ++node) {
      EXPECT_EQ(static_cast<double>(found.pages[node]), pages_of[node]);
      EXPECT_EQ(static_cast<double>(found.accesses[node]), loads[node]);
    }
    const Footprint by_epoch = footprint(pages, 20, objects);
    for (std::size_t epoch = 0; epoch < 20; ++epoch)
      EXPECT_EQ(static_cast<double>(by_epoch.program[epoch]), epochs[epoch]);
    for (const auto& [mapping, amount] : local) {
      const WhatIf outcome = what_if(mapping, pages, places, objects);
      EXPECT_NEAR(outcome.program.local, amount, 1e-6 * all) << to_string(mapping);
      double of_objects = 0;
      for (const Outcome& object : outcome.of_objects) of_objects += object.local;
      EXPECT_NEAR(of_objects, amount, 1e-6 * all);
      EXPECT_NEAR(outcome.program.all(), all, 1e-6 * all);
    }
    const Outcome balanced = what_if(Mapping::balance, pages, places, objects).program;
    EXPECT_NEAR(balanced.all(), all, 1e-6 * all);
    EXPECT_LT(balanced.busiest_share(), 0.26);
    EXPECT_LE(balanced.local_share(), highest / all);
    EXPECT_GT(balanced.local_share(),
              what_if(Mapping::interleave, pages, places, objects).program.local_share());
  }
}

TEST(ProfileAnalyses, TheGridHasEveryPage) {
  const Profile profile = random_run(3).build();
  const Places places = round_robin(9, 4);
  const PagesByNode pages = pages_by_node(profile, places);
  const ExclusivityGrid grid = ExclusivityGrid::of(pages, places);
  const Balance pages_of = balance(pages, places, profile.recording.objects.size()).program;
  for (std::size_t node = 0; node < 4; ++node)
    EXPECT_EQ(std::accumulate(grid.cells[node].begin(), grid.cells[node].end(), std::uint64_t{0}),
              pages_of.pages[node]);
  const PagesByNode one_page{.nodes = 4, .rows = {{}}, .accesses = {999, 0, 0, 0}};
  const ExclusivityGrid corner = ExclusivityGrid::of(one_page, places);
  EXPECT_DOUBLE_EQ(corner.decades, 3);
  EXPECT_EQ(corner.cells[0].back(), 1U);  // exclusive, with nearly the maximum number of accesses
}

TEST(ProfilePlaces, BlocksOfNeighbours) {
  const Profile profile = private_blocks(64, 1).build();
  const Machine machine = Machine::open("xeon-x7550");
  for (const Places& places : {places_of(profile, machine), compact_places_of(profile, machine)}) {
    ASSERT_EQ(places.nodes.size(), 4U);
    EXPECT_FALSE(places.recorded);
    for (std::uint32_t thread = 0; thread < 64; ++thread)  // [hashsieve §V.B]
      EXPECT_EQ(places.nodes_of_threads[thread], thread / 16);
  }
  const Profile four = private_blocks(4, 1).build();
  EXPECT_EQ(places_of(four, machine).nodes_of_threads, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(compact_places_of(four, machine).nodes_of_threads,
            (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(ProfilePlaces, WorkersOfEachPhaseAreWhereThoseBeforeWere) {
  SyntheticRun run(17);  // the first thread and four phases with four workers each
  for (std::uint32_t i = 1; i < 17; ++i) {
    const std::uint64_t phase = (i - 1) / 4;
    run.recording.threads[i].started_ns = 100 * phase + i;
    run.recording.threads[i].ended_ns = 100 * phase + i + 1;  // before the next thread is created
    run.recording.threads[i].joined_ns = 100 * phase + 100 - i % 4;  // joined in reverse order
  }
  const Profile profile = run.build();
  const Machine machine = Machine::open("xeon-x7550");
  for (const Places& places : {places_of(profile, machine), compact_places_of(profile, machine)}) {
    for (std::uint32_t i = 5; i < 17; ++i)
      EXPECT_EQ(places.nodes_of_threads[i], places.nodes_of_threads[i - 4]) << i;
    EXPECT_EQ(places.nodes_of_threads[0], 0U);
  }
  EXPECT_EQ(places_of(profile, machine).nodes_of_threads[4], 3U);
}

TEST(ProfilePlaces, BoundThreadsAreWhereTheyWere) {
  SyntheticRun run = private_blocks(8, 1);
  const Machine machine = Machine::open("xeon-x7550");
  for (recording::Thread& thread : run.recording.threads)
    thread.pu = machine.processors()[40].os_index;
  Profile profile = run.build();
  EXPECT_EQ(places_of(profile, machine).nodes_of_threads[3], 1U);  // recorded on an unknown machine
  profile.machine = machine.to_json();
  const Places there = places_of(profile, machine);
  EXPECT_TRUE(there.recorded);
  EXPECT_EQ(there.nodes_of_threads, (std::vector<std::uint32_t>(8, 2)));
  const Places elsewhere = places_of(profile, Machine::open("opteron-8x8"));
  EXPECT_FALSE(elsewhere.recorded);
  EXPECT_EQ(elsewhere.nodes_of_threads[3], 3U);
}

TEST(ProfilePlaces, MemoriesNextToProcessors) {
  const Profile profile = private_blocks(4, 1).build();
  EXPECT_EQ(places_of(profile, Machine::open("knl-7210")).nodes.size(), 1U);  // not its MCDRAM
}

TEST(ProfileSynthetic, HashSieveLikeHasThePapersFigures) {  // [hashsieve §V.C]: 62.2 %, 47 %
  const Profile profile = hashsieve_like().build();
  const Places places = places_of(profile, Machine::open("xeon-x7550"));
  const PagesByNode pages = pages_by_node(profile, places);
  const std::size_t objects = profile.recording.objects.size();
  EXPECT_NEAR(exclusivity(pages, objects).program, 0.62, 0.02);
  const WhatIf os = what_if(Mapping::os, pages, places, objects);
  EXPECT_NEAR(os.program.loads[0] / os.program.all(), 0.47, 0.02);
}

}  // namespace
}  // namespace Atoll::profile
