// Both policies on every preset: the arrays of PageRank, and the policy `cost` compared with all
// possible choices.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/plan/choose_layouts.hpp"
#include "plan/candidates.hpp"
#include "plan/cost_model.hpp"
#include "plan/footprint.hpp"
#include "plan_machines.hpp"
#include "processor_time.hpp"
#include "sanitized.hpp"

namespace Atoll {
namespace {

using detail::footprint;
using test::choice_of;
using test::pagerank;

class EachPreset : public ::testing::TestWithParam<std::string> {
 protected:
  const Machine machine_ = Machine::open(GetParam());
  const ThreadPlaces team_ = spread_places(machine_);

  [[nodiscard]] std::vector<Choice> choose(const std::vector<ArrayRequest>& requests,
                                           LayoutPolicy policy) const {
    return choose_layouts(requests, machine_, team_, {.policy = policy});
  }

  // Returns the memories of all threads, without duplicates.
  [[nodiscard]] std::vector<NodeId> homes() const {
    std::vector<NodeId> nodes;
    for (const ThreadPlace& place : team_)
      nodes.push_back(machine_.has_memory(place.node)
                          ? place.node
                          : machine_.order(place.node, Ordering::latency).front());
    return nodes;
  }
  [[nodiscard]] std::vector<NodeId> home_nodes() const {
    std::vector<NodeId> nodes = homes();
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return nodes;
  }
  [[nodiscard]] std::ptrdiff_t places_for_arrays() const {
    return std::ranges::count_if(machine_.memories(), detail::holds_arrays);
  }
  [[nodiscard]] std::uint64_t least_capacity() const {
    std::uint64_t least = UINT64_MAX;
    for (const NodeId node : home_nodes())
      least = std::min(least, machine_.memory(node).capacity_bytes);
    return least;
  }
};

INSTANTIATE_TEST_SUITE_P(Presets, EachPreset, ::testing::ValuesIn(Machine::preset_names()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(EachPreset, ShoalGivesPageRankWhatThePaperSays) {
  const auto choices = choose(pagerank(4e6, 69e6, 8), LayoutPolicy::shoal);  // LiveJournal
  EXPECT_FALSE(choice_of(choices, "node_idx").allocated);
  for (const char* graph_array : {"begin", "r_begin", "r_node_idx"})
    EXPECT_EQ(choice_of(choices, graph_array).layout.where,
              (Layout{Replicated{home_nodes()}}.where))
        << graph_array;
  const auto* rank = std::get_if<Distributed>(&choice_of(choices, "pg_rank").layout.where);
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->nodes, home_nodes());
  EXPECT_EQ(choice_of(choices, "pg_rank_nxt").layout.where, (Layout{Partitioned{homes()}}.where));
}

TEST_P(EachPreset, ShoalCopiesInOrderWhileTheyFit) {
  // r_node_idx takes 0.9 of a node's memory; begin and r_begin take 0.06 each.
  const auto capacity = static_cast<double>(least_capacity());
  const auto requests = pagerank(0.06 * capacity / 8, 0.9 * capacity / 8, 8);
  if (places_for_arrays() == 1) {
    EXPECT_THROW(static_cast<void>(choose(requests, LayoutPolicy::shoal)), Error);
    return;
  }
  const auto choices = choose(requests, LayoutPolicy::shoal);
  const std::size_t nodes = home_nodes().size();
  EXPECT_EQ(choice_of(choices, "begin").layout.copies(), nodes);
  EXPECT_EQ(choice_of(choices, "r_begin").layout.copies(), nodes);
  const Choice& edges = choice_of(choices, "r_node_idx");
  EXPECT_TRUE(std::holds_alternative<Distributed>(edges.layout.where)) << edges.why;
}

// Returns the bytes that all choices together take from each memory.
std::vector<std::uint64_t> taken(const std::vector<Choice>& choices,
                                 const std::vector<ArrayRequest>& requests,
                                 const Machine& machine) {
  std::vector<std::uint64_t> sums(machine.memories().size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!choices[i].allocated) continue;
    for (const auto& [node, bytes] : footprint(choices[i].layout, requests[i].bytes())) {
      const auto memory = std::ranges::find(machine.memories(), node, &MemoryNode::id);
      sums.at(static_cast<std::size_t>(memory - machine.memories().begin())) += bytes;
    }
  }
  return sums;
}

bool fits(const std::vector<std::uint64_t>& taken, const Machine& machine) {
  for (std::size_t m = 0; m < taken.size(); ++m)
    if (taken[m] > detail::free_bytes(machine.memories()[m])) return false;
  return true;
}

double total(const std::vector<Choice>& choices) {
  double sum = 0;
  for (const Choice& choice : choices) sum += choice.estimated_seconds;
  return sum;
}

TEST_P(EachPreset, CostIsNeverSlowerThanShoalByItsOwnModel) {
  for (const auto& requests : {pagerank(41e6, 1468e6, 8), pagerank(64e3, 250e3, 4)}) {
    const auto cost = choose(requests, LayoutPolicy::cost);
    const auto shoal = choose(requests, LayoutPolicy::shoal);
    std::vector<ArrayRequest> used = requests;
    std::erase_if(used, [](const ArrayRequest& r) { return !r.pattern.used(); });
    const detail::CostModel model(used, machine_, team_, {});
    double shoal_seconds = 0;
    for (std::size_t i = 0; i < used.size(); ++i)
      shoal_seconds += model.seconds(i, choice_of(shoal, used[i].name).layout);
    EXPECT_TRUE(fits(taken(cost, requests, machine_), machine_));
    if (fits(taken(shoal, requests, machine_), machine_)) {
      EXPECT_LE(total(cost), shoal_seconds * (1 + 1e-9));
    }
  }
}

TEST(Presets, NodesOfATier) {
  const Machine machine = Machine::open("hbm-2s");
  EXPECT_EQ(tier_nodes(machine, "dram"), (std::vector{NodeId{0}, NodeId{1}}));
  EXPECT_EQ(tier_nodes(machine, "hbm"), (std::vector{NodeId{2}, NodeId{3}}));
  EXPECT_TRUE(tier_nodes(machine, "cxl").empty());
}

TEST(Presets, GpuMemoryHoldsNoArrays) {
  const Machine machine = Machine::open("p100-host");
  const ThreadPlaces team = spread_places(machine);
  ArrayRequest request{.name = "a",
                       .elements = 9 * kGiB,
                       .pattern = test::pattern_with({{false, Order::random, 1e9}})};
  EXPECT_THROW(static_cast<void>(choose_layouts({&request, 1}, machine, team, {})), Error);
  request.elements = 7 * kGiB;
  const auto choices = choose_layouts({&request, 1}, machine, team, {});
  EXPECT_EQ(choices[0].layout.where, (Layout{SingleNode{NodeId{0}}}.where));
}

TEST(Presets, CostDiffersFromShoalOnSeveral) {
  int different = 0;
  for (const std::string& name : Machine::preset_names()) {
    const Machine machine = Machine::open(name);
    const auto requests = pagerank(41e6, 1468e6, 8);
    const ThreadPlaces team = spread_places(machine);
    const auto cost = choose_layouts(requests, machine, team, {});
    const auto shoal = choose_layouts(requests, machine, team, {.policy = LayoutPolicy::shoal});
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!cost[i].allocated || cost[i].layout == shoal[i].layout) continue;
      ++different;
      break;
    }
  }
  EXPECT_GE(different, 2);
}

class RandomRequests {
 public:
  RandomRequests(const Machine& machine, std::uint32_t seed) : machine_(machine), random_(seed) {}

  /// Returns requests that fill the fraction `fill` of all memories if each array has one copy.
  std::vector<ArrayRequest> operator()(std::size_t count, double fill) {
    double all = 0;
    for (const MemoryNode& memory : machine_.memories())
      all += static_cast<double>(detail::free_bytes(memory));
    std::vector<ArrayRequest> requests;
    for (std::size_t i = 0; i < count; ++i) {
      ArrayRequest request;
      request.name = "array " + std::to_string(i);
      request.element_bytes = 1 + draw(64);
      request.elements = static_cast<std::uint64_t>(
          real(0, fill) * all / static_cast<double>(count) / request.element_bytes);
      request.filled_from_elsewhere = draw(2) == 0;
      const bool writes = draw(3) == 0;
      for (std::uint32_t n = 1 + draw(3); n > 0; --n)
        request.pattern.accesses.push_back(
            {writes && draw(2) == 0, static_cast<Order>(draw(4)),
             std::exp(real(-1, 6)) * static_cast<double>(request.elements)});
      requests.push_back(std::move(request));
    }
    return requests;
  }
  ThreadPlaces team() {
    const auto threads =
        static_cast<int>(1 + draw(static_cast<std::uint32_t>(machine_.processors().size())));
    return draw(2) == 0 ? spread_places(machine_, threads) : compact_places(machine_, threads);
  }
  std::uint32_t draw(std::uint32_t n) { return std::uniform_int_distribution(0U, n - 1)(random_); }
  double real(double from, double to) { return std::uniform_real_distribution(from, to)(random_); }
  std::mt19937& generator() { return random_; }

 private:
  const Machine& machine_;
  std::mt19937 random_;
};

// Returns the minimum modelled time over all choices of candidates that fit; infinity if no choice
// fits.
double least_of_all(const std::vector<ArrayRequest>& requests, const Machine& machine,
                    const ThreadPlaces& team, bool by_free) {
  const detail::CostModel model(requests, machine, team, {});
  const detail::Candidates candidates(machine, team);
  struct Candidate {
    double seconds;
    std::vector<std::pair<std::size_t, std::uint64_t>> takes;
  };
  std::vector<std::vector<Candidate>> all;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto& list = all.emplace_back();
    for (const Layout& layout : candidates.of(requests[i], LayoutKind::automatic, {}, by_free)) {
      list.push_back({model.seconds(i, layout), {}});
      for (const auto& [node, bytes] : footprint(layout, requests[i].bytes())) {
        const auto memory = std::ranges::find(machine.memories(), node, &MemoryNode::id);
        list.back().takes.emplace_back(memory - machine.memories().begin(), bytes);
      }
    }
  }
  std::vector<std::uint64_t> left;
  for (const MemoryNode& memory : machine.memories()) left.push_back(detail::free_bytes(memory));
  double best = INFINITY;
  const auto descend = [&](const auto& self, std::size_t i, double seconds) -> void {
    if (i == all.size()) {
      best = std::min(best, seconds);
      return;
    }
    for (const Candidate& candidate : all[i]) {
      if (std::ranges::any_of(candidate.takes, [&](auto t) { return t.second > left[t.first]; }))
        continue;
      for (const auto& [m, bytes] : candidate.takes) left[m] -= bytes;
      self(self, i + 1, seconds + candidate.seconds);
      for (const auto& [m, bytes] : candidate.takes) left[m] += bytes;
    }
  };
  descend(descend, 0, 0);
  return best;
}

TEST_P(EachPreset, CostIsTheLeastOfAllChoices) {
  RandomRequests random(machine_, 6);
  int short_of_memory = 0;
  const int rounds = machine_.memories().size() > 64 ? 8 : 24;
  for (int round = 0; round < rounds; ++round) {
    const double fill = std::array{1e-6, 0.1, 1.0, 1.6}.at(static_cast<std::size_t>(round) % 4);
    const std::vector<ArrayRequest> requests = random(3, fill);
    const ThreadPlaces team = random.team();
    double least = least_of_all(requests, machine_, team, false);
    if (std::isinf(least)) least = least_of_all(requests, machine_, team, true);
    if (std::isinf(least)) {
      EXPECT_THROW(static_cast<void>(choose_layouts(requests, machine_, team, {})), Error);
      continue;
    }
    const auto choices = choose_layouts(requests, machine_, team, {});
    EXPECT_NEAR(total(choices), least, 1e-9 * least);
    EXPECT_TRUE(fits(taken(choices, requests, machine_), machine_));
    for (const Choice& choice : choices) {
      EXPECT_LE(choice.why.size(), 80U) << choice.why;
      short_of_memory += choice.why.find("no room") != std::string::npos;
    }
  }
  EXPECT_EQ(short_of_memory > 0, places_for_arrays() > 1);
}

TEST_P(EachPreset, CostDoesNotDependOnTheOrderOfRequests) {
  RandomRequests random(machine_, 7);
  for (int round = 0; round < 4; ++round) {
    std::vector<ArrayRequest> requests = random(6, 0.7);
    const auto choices = choose_layouts(requests, machine_, team_, {});
    EXPECT_TRUE(fits(taken(choices, requests, machine_), machine_));
    const auto again = choose_layouts(requests, machine_, team_, {});
    for (std::size_t i = 0; i < choices.size(); ++i) EXPECT_EQ(again[i].layout, choices[i].layout);
    std::ranges::shuffle(requests, random.generator());
    EXPECT_NEAR(total(choose_layouts(requests, machine_, team_, {})), total(choices),
                1e-9 * total(choices));
  }
}

// The limit is the time to sort 800,000 numbers (60 ms). A slow computer, other programs and
// sanitizers affect both times.
TEST_P(EachPreset, TwelveArraysAreChosenAtOnce) {
  RandomRequests random(machine_, 8);
  const auto requests = random(12, 0.6);
  std::mt19937 any(5);
  std::vector<std::uint32_t> numbers(800'000);
  double ratio = INFINITY;
  for (int i = 0; i < 10 && ratio >= kSlowdown; ++i) {
    std::generate(numbers.begin(), numbers.end(), any);
    const double sorting = processor_seconds([&] { std::sort(numbers.begin(), numbers.end()); });
    const double choosing = processor_seconds(
        [&] { EXPECT_EQ(choose_layouts(requests, machine_, team_, {}).size(), 12U); });
    ratio = std::min(ratio, choosing / sorting);
  }
  EXPECT_LT(ratio, kSlowdown);
}

}  // namespace
}  // namespace Atoll
