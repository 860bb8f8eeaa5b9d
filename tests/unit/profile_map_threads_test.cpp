// Mapping of threads: groups on near nodes, pairs on shared caches. Compared with brute force, and
// on machines where the best mapping is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "plan/group_threads.hpp"
#include "profile/advise.hpp"
#include "profile/map_threads.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

using Seats = std::vector<std::uint32_t>;

CommunicationMatrix random_matrix(std::mt19937& random, std::size_t n) {
  CommunicationMatrix matrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, static_cast<double>(random() % 100));
  return matrix;
}

/// Returns the number of hops between nodes i and j of a ring.
DistanceMatrix ring(std::size_t n) {
  DistanceMatrix matrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      matrix.set(i, j, static_cast<double>(std::min(i - j, n - i + j)));
  return matrix;
}

DistanceMatrix equal_distances(std::size_t n) {
  DistanceMatrix matrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, 6);
  return matrix;
}

/// Returns the communication of a ring of threads in random order.
CommunicationMatrix shuffled_ring(std::size_t n, std::uint32_t seed) {
  Seats order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::shuffle(order, std::mt19937(seed));
  CommunicationMatrix matrix(n);
  for (std::size_t i = 0; i < n; ++i) matrix.set(order[i], order[(i + 1) % n], 50);
  return matrix;
}

/// Returns the minimum cost over all assignments that `kinds` permits.
double brute_force(const CommunicationMatrix& communication, const DistanceMatrix& distances,
                   const std::vector<std::size_t>& kinds) {
  Seats seats(kinds.size());
  std::iota(seats.begin(), seats.end(), 0U);
  double least = INFINITY;
  do {
    bool allowed = true;
    for (std::size_t i = 0; i < seats.size(); ++i) allowed = allowed && kinds[i] == kinds[seats[i]];
    if (allowed) least = std::min(least, cost_of(communication, distances, seats));
  } while (std::ranges::next_permutation(seats).found);
  return least;
}

TEST(ProfileAssignNear, FewAreTheBestThatBruteForceFinds) {
  std::mt19937 random(3);
  for (std::size_t n = 1; n <= 7; ++n)
    for (int round = 0; round < 10; ++round) {
      const auto communication = random_matrix(random, n), distances = random_matrix(random, n);
      std::vector<std::size_t> kinds(n);
      for (std::size_t& kind : kinds) kind = round % 2 == 0 ? 0 : random() % 2;
      const Seats seats = assign_near(communication, distances, kinds);
      EXPECT_EQ(std::set(seats.begin(), seats.end()).size(), n);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(kinds[i], kinds[seats[i]]);
      EXPECT_DOUBLE_EQ(cost_of(communication, distances, seats),
                       brute_force(communication, distances, kinds));
    }
}

TEST(ProfileAssignNear, ManyAreNearTheBest) {
  std::mt19937 random(4);
  for (int round = 0; round < 6; ++round) {
    const auto communication = random_matrix(random, 9), distances = random_matrix(random, 9);
    const std::vector<std::size_t> kinds(9);
    const Seats seats = assign_near(communication, distances, kinds);
    EXPECT_LT(cost_of(communication, distances, seats),
              1.1 * brute_force(communication, distances, kinds));
    for (std::size_t a = 0; a < 9; ++a)  // no exchange of two threads reduces the cost
      for (std::size_t b = 0; b < a; ++b) {
        Seats other = seats;
        std::swap(other[a], other[b]);
        EXPECT_GE(cost_of(communication, distances, other),
                  cost_of(communication, distances, seats) * (1 - 1e-8));
      }
  }
}

TEST(ProfileAssignNear, RingsLieOnRings) {
  for (const std::size_t n : {8U, 16U, 64U})
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      const CommunicationMatrix communication = shuffled_ring(n, seed);
      const Seats seats = assign_near(communication, ring(n), std::vector<std::size_t>(n));
      EXPECT_DOUBLE_EQ(cost_of(communication, ring(n), seats), communication.total()) << n;
    }
}

TEST(ProfileAssignNear, WhereAllAreAsFarNobodyMoves) {
  std::mt19937 random(5);
  for (const std::size_t n : {2U, 8U, 20U}) {
    const Seats seats =
        assign_near(random_matrix(random, n), equal_distances(n), std::vector<std::size_t>(n));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(seats[i], i);
  }
}

TEST(ProfileGroupThreads, FindsGroupsHoweverTheyAreNumbered) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    std::vector<std::uint32_t> order(32);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, std::mt19937(seed));
    CommunicationMatrix matrix(32);
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, order[i] / 8 == order[j] / 8 ? 9 : 1);
    std::vector<std::uint32_t> blocks(32);
    for (std::uint32_t i = 0; i < 32; ++i) blocks[i] = i / 8;
    const auto groups = group_threads(matrix, {8, 8, 8, 8}, blocks, equal_distances(4), true);
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_EQ(groups[i] == groups[j], order[i] / 8 == order[j] / 8);
  }
}

TEST(ProfileGroupThreads, KeepsWhatIsGoodAlready) {
  CommunicationMatrix chain(16);
  for (std::size_t i = 1; i < 16; ++i) chain.set(i, i - 1, 1);
  std::vector<std::uint32_t> blocks(16);
  for (std::uint32_t i = 0; i < 16; ++i) blocks[i] = i / 4;
  EXPECT_EQ(group_threads(chain, {4, 4, 4, 4}, blocks, equal_distances(4), true), blocks);
}

TEST(ProfileGroupThreads, SizesAreKept) {
  std::mt19937 random(2);
  CommunicationMatrix matrix(13);
  for (std::size_t i = 0; i < 13; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, static_cast<double>(random() % 10));
  std::vector<std::uint32_t> start{0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
  const auto groups = group_threads(matrix, {4, 3, 3, 3}, start, equal_distances(4), false);
  for (std::uint32_t group = 0; group < 4; ++group)
    EXPECT_EQ(std::ranges::count(groups, group), group == 0 ? 4 : 3);
  EXPECT_GE(inside_share(matrix, groups), inside_share(matrix, start));
}

/// Returns a ring of `nodes` nodes, each with `cores` cores of two processing units. Pairs of cores
/// share an L2.
Machine ring_machine(std::size_t nodes, std::size_t cores) {
  std::string links;
  const DistanceMatrix hops = ring(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = 0; j < nodes; ++j)
      links += fmt::format(R"({{"pairs": [["{}", "{}"]], "distance": {}}},)", i, j,
                           10 + 6 * hops.at(i, j));
  return Machine::from_json(
      fmt::format(
          R"({{"atoll_machine": 1, "name": "ring", "sources": {{"guess": {{"origin": "estimated", "text": "made up"}}}},
        "places": "{} numa > {} l2 2 MiB > 2 core > 2 pu",
        "memories": [{{"nodes": "0-{}", "at": "numa", "tier": "dram", "capacity": ["8 GiB", "guess"]}}],
        "links": [{}{{"latency": ["90 ns", "guess"], "read": ["20 GB/s", "guess"],
                      "write": ["10 GB/s", "guess"]}}]}})",
          nodes, cores / 2, nodes - 1, links),
      "the ring");
}

/// Groups of `size` threads that communicate within the group, and slightly with the next groups in
/// a ring. Threads except the first are numbered randomly.
struct RingOfGroups {
  RingOfGroups(std::size_t groups, std::size_t size)
      : run(static_cast<std::uint32_t>(groups * size)) {
    order.resize(groups * size);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(9));
    const std::uint32_t buffers = run.object("make_buffers", 7, groups * 8 * 4096);
    for (std::size_t group = 0; group < groups; ++group) {
      const auto share = [&](std::size_t of, std::size_t page, std::uint64_t times) {
        for (std::size_t i = 0; i < size; ++i)
          for (std::uint64_t line = 0; line < 64; ++line)
            run.touch(order[of % groups * size + i], buffers, (group * 8 + page) * 4096 + 64 * line,
                      times, times);
      };
      share(group, 0, 100);
      share(group, 1, 10);
      share(group + 1, 1, 10);
    }
  }
  SyntheticRun run;
  Seats order;  ///< thread numbers, by group and index within the group
};

TEST(ProfileMapThreads, ARingOfGroupsLiesOnARingOfNodes) {
  const RingOfGroups ring_of(8, 4);
  const Machine machine = ring_machine(8, 4);
  const Advice advice = advise(ring_of.run.build(), machine);
  ASSERT_EQ(advice.recommendations[0].action, Action::map_threads);
  const auto node_of = [&](std::size_t group, std::size_t i) {
    return advice.plan.threads.at(ring_of.order[group % 8 * 4 + i]).node;
  };
  for (std::size_t group = 0; group < 8; ++group) {
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(node_of(group, i), node_of(group, 0));
    EXPECT_EQ(machine.link(node_of(group, 0), node_of(group + 1, 0)).distance, 16) << group;
  }
  const std::string& text = advice.recommendations[0].text;
  EXPECT_NE(text.find("; its mean distance is 1"), std::string::npos) << text;
}

TEST(ProfileMapThreads, GroupsGoAroundTheOpteronsShortLinks) {
  const RingOfGroups ring_of(8, 4);
  const Machine machine = without_level_3("opteron-8x8");
  const Advice advice = advise(ring_of.run.build(), machine);
  for (std::size_t group = 0; group < 8; ++group) {
    const auto node_of = [&](std::size_t of) {
      return advice.plan.threads.at(ring_of.order[of % 8 * 4]).node;
    };
    EXPECT_EQ(machine.link(node_of(group), node_of(group + 1)).distance, 16) << group;
  }
}

TEST(ProfileMapThreads, FewGroupsGoToNodesNearEachOther) {
  SyntheticRun run(2);  // eight nodes, one block each: threads on nodes 0 and 4
  CommunicationMatrix matrix(2);
  matrix.set(0, 1, 5);
  const Machine machine = ring_machine(8, 4);
  const ThreadMap map = map_threads(matrix, machine, places_of(run.build(), machine));
  EXPECT_EQ((map.nodes[0] + 8 - map.nodes[1]) % 8 % 6, 1U);
  EXPECT_EQ(map.outcome,
            "0 % of it stays inside nodes, 0 % with threads in blocks; its mean distance is 16.0, "
            "and 34.0 in blocks");
}

TEST(ProfileMapThreads, PairsShareACore) {
  // Thread i communicates with thread i + 4. A node has four cores of two processing units.
  SyntheticRun run(16);
  CommunicationMatrix matrix(16);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, i / 8 != j / 8 ? 0 : i - j == 4 ? 90 : 5);
  const Machine machine = ring_machine(2, 4);
  const ThreadMap map = map_threads(matrix, machine, places_of(run.build(), machine));
  std::set<std::vector<int>> cores;
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(map.nodes[i], i / 8);
    ASSERT_EQ(map.units[i].size(), 2U);
    EXPECT_EQ(map.units[i][0] / 8, static_cast<int>(i / 8));
    EXPECT_EQ(map.units[i], map.units[i % 8 < 4 ? i + 4 : i - 4]);
    cores.insert(map.units[i]);
  }
  EXPECT_EQ(cores.size(), 8U);
}

TEST(ProfileMapThreads, PairsShareACacheWhereEachHasACore) {
  CommunicationMatrix matrix(8);  // pairs 0-2, 1-3, 4-6, 5-7
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, i / 4 != j / 4 ? 0 : i - j == 2 ? 90 : 5);
  const Machine machine = ring_machine(2, 4);
  const ThreadMap map = map_threads(matrix, machine, places_of(SyntheticRun(8).build(), machine));
  std::set<std::vector<int>> cores;
  for (std::size_t i = 0; i < 8; ++i) {
    ASSERT_EQ(map.units[i].size(), 2U);  // one core, which shares its cache with the next core
    EXPECT_EQ(map.units[i][0] / 4, map.units[i % 4 < 2 ? i + 2 : i - 2][0] / 4);
    cores.insert(map.units[i]);
  }
  EXPECT_EQ(cores.size(), 8U);
}

TEST(ProfileMapThreads, ThreadsAreLeftToTheNodeWhereItsUnitsAreAlikeOrTooFew) {
  std::mt19937 random(6);
  const auto units = [&](const Machine& machine, std::uint32_t threads) {
    const ThreadMap map = map_threads(random_matrix(random, threads), machine,
                                      places_of(SyntheticRun(threads).build(), machine));
    return std::ranges::count_if(map.units, [](const auto& own) { return !own.empty(); });
  };
  EXPECT_EQ(units(Machine::open("numa:4 core:8 pu:1"), 32), 0);
  EXPECT_EQ(units(Machine::open("xeon-x7550"), 32), 0);  // each thread has a core
  EXPECT_EQ(units(Machine::open("xeon-x7550"), 64), 64);
  EXPECT_EQ(units(Machine::open("xeon-x7550"), 65), 48);   // one node has 17 threads for 16 units
  EXPECT_EQ(units(Machine::open("opteron-8x8"), 16), 16);  // each pair shares an L2 of four
  EXPECT_EQ(units(Machine::open("opteron-8x8"), 8), 0);
}

TEST(ProfileMapThreads, ThreadsThatDoNotCommunicateGetNoCommonCache) {
  CommunicationMatrix matrix(4);  // pairs 0-2, 1-3
  matrix.set(0, 2, 9);
  matrix.set(1, 3, 9);
  const Machine machine = ring_machine(2, 4);
  const auto places = places_of(SyntheticRun(4).build(), machine);
  for (const auto& units : map_threads(matrix, machine, places).units)
    EXPECT_EQ(units.size(), 2U);  // each pair has one core of an L2
  matrix = CommunicationMatrix(4);
  for (const auto& units : map_threads(matrix, machine, places).units) EXPECT_TRUE(units.empty());
}

TEST(ProfileMapThreads, DistancesOfUnitsAreByWhatTheyShare) {
  const Machine machine = ring_machine(2, 4);
  const DistanceMatrix distances = distances_between_units(machine, {0, 1, 2, 4, 8, 0});
  EXPECT_EQ(distances.at(0, 5), 0);  // the same unit
  EXPECT_EQ(distances.at(0, 1), 1);  // the same core
  EXPECT_EQ(distances.at(0, 2), 2);  // the same L2
  EXPECT_EQ(distances.at(0, 3), 3);  // the same node
  EXPECT_EQ(distances.at(0, 4), 4);
}

TEST(ProfileMapThreads, DistancesOfNodesAreTheMachines) {
  const DistanceMatrix distances =
      distances_between(Machine::open("opteron-8x8"), {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}});
  EXPECT_EQ(distances.at(0, 1), 6);
  EXPECT_EQ(distances.at(0, 2), 6);
  EXPECT_EQ(distances.at(0, 3), 12);
}

}  // namespace
}  // namespace Atoll::profile
