// A limit for the sum of all memories, as in a container. The plans of both policies stay below the
// limit and use the memory up to it.
#include <gtest/gtest.h>

#include <random>

#include "atoll/base/error.hpp"
#include "plan/footprint.hpp"
#include "plan_machines.hpp"

namespace Atoll {
namespace {

using test::machine_of;
using test::pattern_with;

constexpr std::uint64_t kMiBs = kMiB / 8;  // elements per MiB

ArrayRequest request(std::string name, std::uint64_t elements, bool written, double each) {
  const double count = each * static_cast<double>(elements);
  return {.name = std::move(name),
          .elements = elements,
          .element_bytes = 8,
          .pattern = pattern_with({{written, Order::random, count}})};
}

std::vector<Choice> choose(const std::vector<ArrayRequest>& requests, std::uint64_t limit,
                           LayoutPolicy policy) {
  const Machine machine = machine_of({.free_in_all = limit});
  return choose_layouts(requests, machine, compact_places(machine), {.policy = policy});
}

std::vector<std::size_t> copies_of(const std::vector<Choice>& choices) {
  std::vector<std::size_t> copies;
  for (const Choice& choice : choices) copies.push_back(choice.layout.copies());
  return copies;
}

using Copies = std::vector<std::size_t>;

TEST(MemoryLimit, ShoalLeavesRoomForTheArraysThatFollow) {
  // An array of 28 MiB that is read, and one of 57 MiB that is written: 85 MiB in total, 113 MiB
  // with a second copy of the first.
  const std::vector requests{request("read", 28 * kMiBs, false, 1),
                             request("written", 57 * kMiBs, true, 1)};
  const auto copies = [&](std::uint64_t limit) {
    return copies_of(choose(requests, limit, LayoutPolicy::shoal));
  };
  EXPECT_EQ(copies(90 * kMiB), (Copies{1, 1}));
  EXPECT_EQ(choose(requests, 90 * kMiB, LayoutPolicy::shoal)[0].why,
            "the memories together have no room for the copies: distributed");
  EXPECT_EQ(copies(112 * kMiB), (Copies{1, 1}));
  EXPECT_EQ(copies(115 * kMiB), (Copies{2, 1}));
  EXPECT_EQ(copies(85 * kMiB + kMiB), (Copies{1, 1}));
  EXPECT_THROW(static_cast<void>(choose(requests, 84 * kMiB, LayoutPolicy::shoal)), Error);
}

TEST(MemoryLimit, ShoalCountsTheCopiesBefore) {
  // With 20 MiB for additional copies, and arrays of 8, 40, 12 and 4 MiB, the copies of 8 and 12
  // MiB fit.
  const std::vector requests{request("a", 8 * kMiBs, false, 1), request("b", 40 * kMiBs, false, 1),
                             request("c", 12 * kMiBs, false, 1), request("d", 4 * kMiBs, false, 1)};
  EXPECT_EQ(copies_of(choose(requests, 84 * kMiB, LayoutPolicy::shoal)), (Copies{2, 1, 2, 1}));
  EXPECT_EQ(copies_of(choose(requests, 88 * kMiB, LayoutPolicy::shoal)), (Copies{2, 1, 2, 2}));
  EXPECT_EQ(copies_of(choose(requests, 128 * kMiB, LayoutPolicy::shoal)), (Copies{2, 2, 2, 2}));
}

TEST(MemoryLimit, CostCopiesTheGreatestGainPerByte) {
  // A copy of `large` gains most, but copies of the two others gain more per byte. Memory suffices
  // for either choice, not for all copies.
  const std::vector requests{request("large", 768 * kMiBs, false, 20),
                             request("first", 384 * kMiBs, false, 35),
                             request("second", 384 * kMiBs, false, 35)};
  const auto copies = [&](std::uint64_t limit) {
    return copies_of(choose(requests, limit, LayoutPolicy::cost));
  };
  EXPECT_EQ(copies(3072 * kMiB), (Copies{2, 2, 2}));
  EXPECT_EQ(copies(2304 * kMiB), (Copies{1, 2, 2}));
  EXPECT_EQ(copies(1600 * kMiB), (Copies{1, 1, 1}));
}

TEST(MemoryLimit, NoPolicyPlansMoreThanTheLimit) {
  std::mt19937 random(37);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArrayRequest> requests;
    std::uint64_t least = 0;
    for (std::uint64_t i = 1 + random() % 6; i > 0; --i) {
      const std::uint64_t elements = (1 + random() % 40) * 2 * kMiBs;
      requests.push_back(request("a" + std::to_string(i), elements, random() % 3 == 0,
                                 static_cast<double>(1 + random() % 50)));
      least += requests.back().bytes();
    }
    const std::uint64_t limit = least + random() % least;
    for (const LayoutPolicy policy : {LayoutPolicy::shoal, LayoutPolicy::cost}) {
      const std::vector<Choice> choices = choose(requests, limit, policy);
      std::uint64_t taken = 0;
      for (std::size_t i = 0; i < choices.size(); ++i)
        for (const auto& [node, bytes] :
             detail::footprint(choices[i].layout, requests[i].bytes(), 8))
          taken += bytes;
      EXPECT_LE(taken, limit) << to_string(policy) << " plans more than " << limit;
      if (policy == LayoutPolicy::cost) continue;
      for (std::size_t i = 0; i < choices.size(); ++i)
        if (requests[i].pattern.read_only() && choices[i].layout.copies() == 1) {
          EXPECT_GT(taken + requests[i].bytes(), limit) << "there is room for a copy of " << i;
        }
    }
  }
}

}  // namespace
}  // namespace Atoll
