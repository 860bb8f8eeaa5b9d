// Memory that is too short for all useful copies. The replicated arrays are compared with the
// greedy order by gain per byte, and the program's time with an exhaustive search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "plan/candidates.hpp"
#include "plan/cost_model.hpp"
#include "plan_machines.hpp"

namespace Atoll {
namespace {

using detail::CostModel;
using test::machine_of;
using test::pattern_with;
using test::Sockets;

/// Returns read-only arrays that are read randomly and with different frequencies.
std::vector<ArrayRequest> program(std::mt19937& random, std::size_t arrays, bool alike) {
  std::vector<ArrayRequest> requests;
  for (std::size_t i = 0; i < arrays; ++i) {
    const double mib =
        alike ? 512 : std::exp2(6 + static_cast<double>(random() % 500) / 100);  // 64 MiB to 2 GiB
    const auto elements = static_cast<std::uint64_t>(mib * (1 << 17));
    const double reads =
        std::exp2(static_cast<double>(random() % 600) / 100) * static_cast<double>(elements);
    requests.push_back({.name = "a" + std::to_string(i),
                        .elements = elements,
                        .pattern = pattern_with({{false, Order::random, reads}})});
  }
  return requests;
}

struct Options {
  double apart = 0;   ///< seconds if distributed
  double copied = 0;  ///< seconds if replicated on both nodes
  std::uint64_t bytes = 0;
};

std::vector<Options> options_of(const std::vector<ArrayRequest>& requests, const Machine& machine,
                                const ThreadPlaces& team) {
  const CostModel model(requests, machine, team, {});
  const std::vector<NodeId> both{NodeId{0}, NodeId{1}};
  std::vector<Options> options;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::uint64_t bytes = requests[i].bytes();
    options.push_back({model.seconds(i, detail::distributed(both, bytes, {})),
                       model.seconds(i, detail::replicated(both, bytes, {})), bytes});
  }
  return options;
}

/// Returns true if two nodes of `node_bytes` have room for these copies, with all other arrays
/// distributed evenly.
bool fits(const std::vector<Options>& options, std::uint32_t copied, std::uint64_t node_bytes) {
  std::uint64_t on_each = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::uint64_t huge = 2 << 20;
    const std::uint64_t whole = (options[i].bytes + huge - 1) / huge * huge;
    on_each += (copied >> i & 1) != 0 ? whole : (whole / 2 + huge - 1) / huge * huge;
  }
  return on_each <= node_bytes;
}

double seconds_of(const std::vector<Options>& options, std::uint32_t copied) {
  double sum = 0;
  for (std::size_t i = 0; i < options.size(); ++i)
    sum += (copied >> i & 1) != 0 ? options[i].copied : options[i].apart;
  return sum;
}

std::uint32_t greedy(const std::vector<Options>& options, std::uint64_t node_bytes) {
  std::vector<std::size_t> order(options.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto density = [&](std::size_t i) {
    return (options[i].apart - options[i].copied) / static_cast<double>(options[i].bytes);
  };
  std::ranges::sort(order, std::greater<>(), density);
  std::uint32_t copied = 0;
  for (const std::size_t i : order) {
    const std::uint32_t more = copied | 1U << i;
    if (density(i) > 0 && fits(options, more, node_bytes)) copied = more;
  }
  return copied;
}

std::uint64_t memory_for_some(std::mt19937& random, const std::vector<Options>& options) {
  std::uint64_t all = 0;
  for (const Options& option : options) all += option.bytes;
  return all / 2 + (8 << 20) * options.size() + random() % (all / 2);
}

/// A program on two sockets with memory for some of its copies only.
struct Shortage {
  Shortage(std::mt19937& random, bool alike)
      : requests(program(random, 2 + random() % 11, alike)),
        team(spread_places(machine_of(sockets))),
        options(options_of(requests, machine_of(sockets), team)) {
    sockets.free_bytes = memory_for_some(random, options);
  }
  [[nodiscard]] std::vector<Choice> choices() const {
    return choose_layouts(requests, machine_of(sockets), team, {});
  }

  Sockets sockets{.l3_bytes = 1 << 20};
  std::vector<ArrayRequest> requests;
  ThreadPlaces team;
  std::vector<Options> options;
};

TEST(MemoryShort, OfArraysOfOneSizeThoseThatGainMostAreReplicated) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    const Shortage shortage(random, true);
    const auto& [sockets, requests, team, options] = shortage;
    const std::uint32_t expected = greedy(options, sockets.free_bytes);
    const auto choices = shortage.choices();
    for (std::size_t i = 0; i < requests.size(); ++i)
      EXPECT_EQ(choices[i].layout.copies() == 2, (expected >> i & 1) != 0)
          << round << ": " << choices[i].name << ": " << choices[i].why;
  }
}

TEST(MemoryShort, TheLossAgainstAnExhaustiveSearchIsBounded) {
  std::mt19937 random(22);
  double worst_choice = 1, worst_greedy = 1;
  for (int round = 0; round < 60; ++round) {
    const Shortage shortage(random, false);
    const auto& [sockets, requests, team, options] = shortage;
    double best = INFINITY;
    for (std::uint32_t copied = 0; copied < 1U << options.size(); ++copied)
      if (fits(options, copied, sockets.free_bytes))
        best = std::min(best, seconds_of(options, copied));
    double chosen = 0;
    std::uint64_t taken = 0;
    for (const Choice& choice : shortage.choices()) {
      chosen += choice.estimated_seconds;
      taken += choice.bytes;
    }
    EXPECT_LE(taken, 2 * sockets.free_bytes);
    worst_choice = std::max(worst_choice, chosen / best);
    worst_greedy =
        std::max(worst_greedy, seconds_of(options, greedy(options, sockets.free_bytes)) / best);
  }
  EXPECT_LE(worst_choice, 1.0 + 1e-9);  // as good as the exhaustive search
  EXPECT_GT(worst_greedy, 1.0) << "the programs are too easy to tell anything";
  EXPECT_LE(worst_greedy, 1.10);
}

}  // namespace
}  // namespace Atoll
