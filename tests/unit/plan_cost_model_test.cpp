// The cost model, compared with times derived manually from docs/cost-model.md. The sockets have
// round figures: 80 ns local and 160 ns remote, reads at 10 and 5 GB/s, writes at half of that,
// lines of 64 bytes.
#include "plan/cost_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/candidates.hpp"
#include "plan_machines.hpp"

namespace Atoll::detail {
namespace {

using test::machine_of;
using test::pattern_with;
using test::Sockets;

constexpr double kNs = 1e-9;
constexpr auto kSmall = PageSize::small;

// One array, the threads that access it, and their accesses. By default bandwidth is practically
// unlimited.
struct Scene {
  Sockets sockets = {.local_bandwidth = 1e13, .remote_bandwidth = 1e13};
  std::vector<int> threads{0};  ///< processing units
  std::uint64_t elements = 1 << 20;
  std::uint32_t element_bytes = 8;
  std::vector<PatternAccess> accesses = {};
  bool filled = false;

  [[nodiscard]] double seconds(const Layout& layout, bool setup = false) const {
    const Machine machine = machine_of(sockets);
    const ArrayRequest request{.name = "a",
                               .elements = elements,
                               .element_bytes = element_bytes,
                               .pattern = pattern_with(accesses),
                               .filled_from_elsewhere = filled};
    const CostModel model({&request, 1}, machine, listed_places(machine, threads), {});
    return setup ? model.setup_seconds(0, layout) : model.access_seconds(0, layout);
  }
};

const NodeId kNode0{0}, kNode1{1};

TEST(CostModel, OneThreadAtRandomWaitsForLatency) {
  // 10^6 reads, each with 1 ns of work and an eighth of the latency.
  const Scene scene{.accesses = {{false, Order::random, 1e6}}};
  EXPECT_NEAR(scene.seconds(single(kNode0, 8 << 20, kSmall)), 1e6 * (1 + 10) * kNs, 1e-12);
  EXPECT_NEAR(scene.seconds(single(kNode1, 8 << 20, kSmall)), 1e6 * (1 + 20) * kNs, 1e-12);
  EXPECT_NEAR(scene.seconds(distributed({kNode0, kNode1}, 8 << 20, kSmall)), 1e6 * (1 + 15) * kNs,
              1e-12);
  EXPECT_NEAR(scene.seconds(distributed({kNode0, kNode0, kNode0, kNode1}, 8 << 20, kSmall)),
              1e6 * (1 + 12.5) * kNs, 1e-12);
  EXPECT_NEAR(scene.seconds(replicated({kNode0, kNode1}, 8 << 20, kSmall)), 1e6 * (1 + 10) * kNs,
              1e-12);
}

TEST(CostModel, LargeElementsMoveSeveralLines) {
  const Scene scene{.element_bytes = 200, .accesses = {{false, Order::random, 1e6}}};
  EXPECT_NEAR(scene.seconds(single(kNode0, 200 << 20, kSmall)), 1e6 * (1 + 4 * 10) * kNs, 1e-12);
}

TEST(CostModel, OneThreadInOrderHasSixteenLinesUnderWay) {
  // 16 lines of 8 elements are in flight, so each access takes 1/128 of the latency. Accesses of
  // order `near` take half of that.
  for (const Order order : {Order::own, Order::stream}) {
    const Scene scene{.accesses = {{false, order, 1e6}}};
    EXPECT_NEAR(scene.seconds(single(kNode0, 8 << 20, kSmall)), 1e6 * (1 + 0.625) * kNs, 1e-12);
  }
  const Scene scene{.accesses = {{false, Order::near, 1e6}}};
  EXPECT_NEAR(scene.seconds(single(kNode0, 8 << 20, kSmall)), 1e6 * (1 + 0.3125) * kNs, 1e-12);
}

// Eight threads on two sockets with negligible latency, so that only bandwidth limits.
Scene streaming(Order order, bool write) {
  return {.sockets = {.local_ns = 1e-3, .remote_ns = 1e-3},
          .threads = {0, 1, 2, 3, 4, 5, 6, 7},
          .elements = 1'000'000'000,
          .accesses = {{write, order, 2e9}}};
}

// Combines the times of the busiest thread, controller and port, as in the model.
double together(double a, double b = 0, double c = 0) {
  return std::sqrt(std::sqrt(a * a * a * a + b * b * b * b + c * c * c * c));
}

TEST(CostModel, BandwidthOfTheBusiestControllerAndPort) {
  // 16 GB. On one node, the controller takes 1.6 s, and 8 GB cross to the other node, also in 1.6
  // s. If distributed, each controller moves 8 GB in 0.8 s, and 4 GB cross in each direction in 0.8
  // s. If partitioned or replicated, no data cross. The threads' own work is 2e9 / 8 ns = 0.25 s.
  const Scene scene = streaming(Order::own, false);
  const std::uint64_t bytes = 8'000'000'000;
  const std::vector both{kNode0, kNode1};
  EXPECT_NEAR(scene.seconds(single(kNode0, bytes, {})), together(1.6, 1.6, 0.25), 1e-3);
  EXPECT_NEAR(scene.seconds(distributed(both, bytes, {})), together(0.8, 0.8, 0.25), 1e-3);
  EXPECT_NEAR(scene.seconds(replicated(both, bytes, {})), together(0.8, 0.25), 1e-6);
  Scene slow = scene;
  slow.sockets.remote_bandwidth = 1e9;
  EXPECT_NEAR(slow.seconds(single(kNode0, bytes, {})), together(1.6, 8, 0.25), 1e-3);
  EXPECT_NEAR(slow.seconds(distributed(both, bytes, {})), together(0.8, 4, 0.25), 1e-2);
  EXPECT_NEAR(slow.seconds(replicated(both, bytes, {})), together(0.8, 0.25), 1e-6);
  const std::vector parts{kNode0, kNode0, kNode0, kNode0, kNode1, kNode1, kNode1, kNode1};
  EXPECT_NEAR(slow.seconds(partitioned(parts, bytes, kSmall)), 1.05 * together(0.8, 0.25), 1e-4);
  // With an order other than `own`, half of each thread's accesses are to remote parts.
  slow.accesses.front().order = Order::stream;
  EXPECT_NEAR(slow.seconds(partitioned(parts, bytes, kSmall)), 1.05 * together(0.8, 4, 0.25), 1e-2);
}

TEST(CostModel, WritesHaveTheirOwnBandwidth) {
  // 16 GB at 5 GB/s through one controller or through two. 8 GB cross to the node at 2.5 GB/s, or 4
  // GB in each direction.
  const Scene scene = streaming(Order::own, true);
  const std::uint64_t bytes = 8'000'000'000;
  EXPECT_NEAR(scene.seconds(single(kNode0, bytes, {})), together(3.2, 3.2, 0.25), 1e-3);
  EXPECT_NEAR(scene.seconds(distributed({kNode0, kNode1}, bytes, {})), together(1.6, 1.6, 0.25),
              1e-2);
}

TEST(CostModel, PortsCarryBothDirectionsAtOnce) {
  // Threads on node 0 and data on node 1: 16 GB are read at 4 GB/s while 16 GB are written at 2
  // GB/s.
  Scene scene = streaming(Order::own, true);
  scene.accesses.push_back({false, Order::own, 2e9});
  scene.sockets.remote_bandwidth = 4e9;
  scene.threads = {0, 1, 2, 3};
  EXPECT_NEAR(scene.seconds(single(kNode1, 8'000'000'000, {})), together(8, 1.6 + 3.2, 1), 1e-3);
}

TEST(CostModel, WhatOneNodeWritesToTwoLeavesItByOnePort) {
  // Threads on node 0 write 16 GB to nodes 1 and 2, at 2 GB/s on each of the two links.
  Scene scene = streaming(Order::own, true);
  scene.sockets.sockets = 3;
  scene.sockets.remote_bandwidth = 4e9;
  scene.threads = {0, 1, 2, 3};
  EXPECT_NEAR(scene.seconds(distributed({kNode1, NodeId{2}}, 8'000'000'000, {})),
              together(4, 1.6, 0.5), 1e-2);
}

TEST(CostModel, AThreadHasTheCachesItRunsOn) {
  // An array of 12 MiB that is accessed in order, and four caches of 8 MiB per node. One thread
  // uses one cache, which evicts each line before its next access. Two threads use two caches,
  // which hold the whole array.
  Scene scene{.elements = 3 << 19, .accesses = {{false, Order::own, 1e9}}};
  scene.sockets.l3_bytes = 8 << 20;
  scene.sockets.l3_shared_by = 1;
  const Layout near = single(kNode0, 12 << 20, kSmall);
  EXPECT_NEAR(scene.seconds(near), 1e9 * (1 + 0.625) * kNs, 1e-6);
  scene.threads = {0, 1};
  EXPECT_NEAR(scene.seconds(near), 1e9 * kNs / 2 + 3 * (1 << 15) * 5 * kNs, 1e-9);
}

TEST(CostModel, WhatFitsIntoTheCacheIsFetchedOnce) {
  // 2^20 elements in 2^17 lines.
  Scene scene{.accesses = {{false, Order::random, 1e9}}};
  scene.sockets.l3_bytes = 8 << 20;
  const Layout far = single(kNode1, 8 << 20, kSmall);
  EXPECT_NEAR(scene.seconds(far), 1e9 * kNs + (1 << 17) * 20 * kNs, 1e-9);
  scene.sockets.l3_bytes = 4 << 20;  // half of the array's size
  EXPECT_NEAR(scene.seconds(far), 1e9 * kNs + ((1 << 17) + (1e9 - (1 << 17)) / 2) * 20 * kNs, 1e-6);
  // For accesses in order, a cache of half the size has no effect. Two caches each hold the half
  // that their threads access.
  scene.accesses.front().order = Order::own;
  EXPECT_NEAR(scene.seconds(far), 1e9 * (1 + 1.25) * kNs, 1e-6);
  scene.threads = {0, 4};
  EXPECT_NEAR(scene.seconds(far), 1e9 * kNs / 2 + (1 << 16) * 10 * kNs, 1e-9);
}

TEST(CostModel, CachesKeepWhatIsReachedMost) {
  const Machine machine = machine_of({.l3_bytes = 8 << 20});
  const auto request = [](std::string name, std::uint64_t elements, double count) {
    return ArrayRequest{.name = std::move(name),
                        .elements = elements,
                        .pattern = pattern_with({{false, Order::random, count}})};
  };
  const std::vector requests{request("seldom", 1 << 20, 1e6), request("hot", 1 << 17, 1e9),
                             request("warm", 1 << 21, 1e8)};
  const CostModel model(requests, machine, compact_places(machine), {});
  EXPECT_EQ(model.cached(1), 1);
  EXPECT_NEAR(model.cached(2), 7.0 / 16, 1e-12);
  EXPECT_EQ(model.cached(0), 0);
}

TEST(CostModel, SymbolsWithoutValueAreLengthsOrTwentyTrips) {
  const Machine machine = machine_of({});
  const Formula n = Formula::symbol("N"), k = Formula::symbol("k");
  ArrayRequest request{
      .name = "a", .elements = 1000, .pattern = pattern_with({{false, Order::own, k * n}})};
  request.pattern.elements = n;
  const ThreadPlaces team = compact_places(machine);
  EXPECT_EQ(CostModel({&request, 1}, machine, team, {}).count(0, false, Order::own), 20'000);
  EXPECT_EQ(
      CostModel({&request, 1}, machine, team, {{"N", 5}, {"k", 3}}).count(0, false, Order::own),
      15);
}

TEST(CostModel, CountsAreNumbersWhateverIsBound) {
  const Machine machine = machine_of({});
  const ThreadPlaces team = compact_places(machine);
  const ArrayRequest request{.name = "a",
                             .elements = 1000,
                             .pattern = pattern_with({{false, Order::own, Formula::symbol("k")}})};
  const auto count = [&](double k) {
    return CostModel({&request, 1}, machine, team, {{"k", k}}).count(0, false, Order::own);
  };
  EXPECT_EQ(count(NAN), 0);
  EXPECT_EQ(count(-1), 0);
  EXPECT_EQ(count(INFINITY), 1e30);
}

TEST(CostModel, SetUpMapsZeroesAndFillsEachCopy) {
  // 8 MiB are 2048 pages and 2^17 lines. There is one thread on each of two nodes.
  Scene scene{.threads = {0, 4}};
  const std::uint64_t bytes = 8 << 20;
  const double mapped = 2048 * 500 * kNs, zeroed = (1 << 17) * 80 / 16 * kNs;
  EXPECT_NEAR(scene.seconds(single(kNode0, bytes, kSmall), true), mapped + zeroed, 1e-9);
  EXPECT_NEAR(scene.seconds(distributed({kNode0, kNode1}, bytes, kSmall), true),
              (mapped + zeroed) / 2, 1e-9);
  EXPECT_NEAR(scene.seconds(replicated({kNode0, kNode1}, bytes, kSmall), true), mapped + zeroed,
              1e-9);
  // Filling each copy takes one more write and one more read. Half of these reads are remote.
  scene.filled = true;
  const double filled = (1 << 17) * (80 + (80 + 160) / 2.0) / 16 * kNs;
  EXPECT_NEAR(scene.seconds(replicated({kNode0, kNode1}, bytes, kSmall), true),
              mapped + zeroed + filled, 1e-9);
  // With huge pages: the same bytes, but four faults.
  EXPECT_NEAR(scene.seconds(replicated({kNode0, kNode1}, bytes, PageSize::huge), true),
              4 * 500 * kNs + zeroed + filled, 1e-9);
}

TEST(CostModel, BoundsBetweenNodesAreRoundedToPages) {
  // One thread on each of two nodes, and 8 pages. A quarter of a page at the bound between the
  // threads' parts (1/32 of all data) may be on either node, and is remote half of the time.
  // Threads of one node have no such bound.
  Scene scene{.threads = {0, 4}, .elements = 4096, .accesses = {{false, Order::own, 2e6}}};
  const double local = 0.625, remote = 1.25, away = 1.0 / 64;
  EXPECT_NEAR(scene.seconds(partitioned({kNode0, kNode1}, 32768, kSmall)),
              1.05e6 * (1 + local * (1 - away) + remote * away) * kNs, 1e-12);
  scene.threads = {0, 1};
  EXPECT_NEAR(scene.seconds(partitioned({kNode0, kNode0}, 32768, kSmall)),
              1.05e6 * (1 + local) * kNs, 1e-12);
}

TEST(CostModel, PortsHaveALinkToEachNearestNeighbour) {
  // Sockets in a ring of four, with two links each. Distributed: each controller delivers 4 of 16
  // GB, and 3 GB arrive at each socket, at 1 GB/s per link.
  Scene ring = streaming(Order::own, false);
  ring.sockets.sockets = 4;
  ring.sockets.remote_bandwidth = 1e9;
  ring.sockets.ring = true;
  ring.threads = {0, 4, 8, 12};
  const std::vector<NodeId> all{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}};
  EXPECT_NEAR(ring.seconds(distributed(all, 8'000'000'000, {})), together(0.4, 1.5, 0.5), 1e-2);
  ring.sockets.ring = false;  // three links per socket
  EXPECT_NEAR(ring.seconds(distributed(all, 8'000'000'000, {})), together(0.4, 1, 0.5), 1e-2);
}

TEST(CostModel, WalksWhereTheTlbDoesNotReach) {
  // 100 entries for 4 KiB pages cover 400 KiB of 4 MiB, so 90.2 % miss. Without caches, the page
  // table entries (8 KiB) are read from memory in 80 ns. The next level's 16 bytes are in the walk
  // caches.
  const Machine machine = machine_of({.tlb_entries = 100});
  const ArrayRequest request{.name = "a", .elements = 1 << 19, .pattern = pattern_with({})};
  const CostModel model({&request, 1}, machine, listed_places(machine, {{0}}), {});
  const double misses = 1 - 100.0 * 4096 / (4 << 20);
  EXPECT_NEAR(model.walk_seconds(4 << 20, kSmall, 80 * kNs), misses * 80 * kNs / 2, 1e-15);
  EXPECT_EQ(model.walk_seconds(400 << 10, kSmall, 80 * kNs), 0);
  EXPECT_EQ(model.walk_seconds(200 << 20, PageSize::huge, 80 * kNs), 0);
  // 1 TiB: small pages take 2 GiB of entries, with 4 MiB and 8 KiB in the levels above; 2 MiB pages
  // take 4 MiB and 8 KiB; 1 GiB pages take 8 KiB.
  const std::uint64_t tera = std::uint64_t{1} << 40;
  EXPECT_NEAR(model.walk_seconds(tera, kSmall, 80 * kNs), 3 * 40 * kNs, 1e-12);
  EXPECT_NEAR(model.walk_seconds(tera, PageSize::huge, 80 * kNs), 2 * 40 * kNs, 1e-10);
  EXPECT_NEAR(model.walk_seconds(tera, PageSize::pool_1g, 80 * kNs), (1 - 100.0 / 1024) * 40 * kNs,
              1e-12);
}

TEST(CostModel, WalksMakeRandomReadsDearerAndNoOthers) {
  const Sockets few{.local_bandwidth = 1e13, .remote_bandwidth = 1e13, .tlb_entries = 100};
  const auto seconds = [&](Order order, PageSize pages) {
    return Scene{.sockets = few, .accesses = {{false, order, 1e6}}}.seconds(
        single(kNode0, 8 << 20, pages));
  };
  const double walk = (1 - 100.0 * 4096 / (8 << 20)) * 80 * kNs / 2;
  EXPECT_NEAR(seconds(Order::random, kSmall), 1e6 * ((1 + 10) * kNs + walk), 1e-9);
  EXPECT_NEAR(seconds(Order::random, PageSize::huge), 1e6 * (1 + 10) * kNs, 1e-12);
  EXPECT_EQ(seconds(Order::stream, kSmall), seconds(Order::stream, PageSize::huge));
}

TEST(CostModel, HintedArraysOfDifferentLengthsCountTheirOwnElements) {
  const Machine machine = machine_of({});
  const AccessPattern pattern = pattern_of({.read_only = true, .accesses_per_element = 3});
  const std::vector<ArrayRequest> requests{{.name = "long", .elements = 1000, .pattern = pattern},
                                           {.name = "short", .elements = 10, .pattern = pattern}};
  const CostModel model(requests, machine, compact_places(machine), {});
  EXPECT_EQ(model.count(0, false, Order::random), 3000);
  EXPECT_EQ(model.count(1, false, Order::random), 30);
  const CostModel told(requests, machine, compact_places(machine), {{"N", 7}});
  EXPECT_EQ(told.count(0, false, Order::random), 21);
}

}  // namespace
}  // namespace Atoll::detail
