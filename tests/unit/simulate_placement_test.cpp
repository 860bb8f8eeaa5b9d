// Placement of pages if memories are full.
#include "simulate/placement.hpp"

#include <gtest/gtest.h>

#include "atoll/machine/machine.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kPage = 4096, kPagesOfMemory = 256;

/// Two nodes, each with a memory of that many pages.
Machine small_machine() {
  return Machine::from_json(R"({
    "atoll_machine": 1, "name": "small",
    "sources": {"s": {"origin": "user", "text": "s"}},
    "places": "2 numa > core > pu",
    "memories": [{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 MiB", "s"]}],
    "links": [
      {"common": "numa", "distance": 10, "latency": ["100 ns", "s"], "read": ["20 GB/s", "s"],
       "write": ["10 GB/s", "s"]},
      {"common": "machine", "distance": 20, "latency": ["200 ns", "s"], "read": ["5 GB/s", "s"],
       "write": ["4 GB/s", "s"]}]})",
                            "small.json");
}

TEST(SimulatePlacement, EachCopyOfAReplicatedObjectTakesRoom) {
  const Machine machine = small_machine();
  const Model model = model_of(machine);
  Options options;
  options.pages = PageSize::small;
  for (const std::uint32_t node : {0U, 1U}) {
    Placement placement(machine, model, options, {0, 1});
    const PlacedObject copied{.kind = trace::ObjectKind::heap,
                              .address = 1U << 30,
                              .bytes = 100 * kPage,
                              .layout = LayoutKind::replicated};
    for (std::uint64_t page = 0; page < 100; ++page)
      EXPECT_TRUE(placement.touch(&copied, {.address = copied.address + page * kPage}).replicated);
    // Takes the rest of the node's own memory, and then of the other one.
    const auto touch = [&](std::uint64_t page) {
      return placement.touch(nullptr, {.address = page * kPage, .node = node}).home;
    };
    for (std::uint64_t page = 0; page < kPagesOfMemory - 100; ++page)
      ASSERT_EQ(touch(page), node) << page;
    EXPECT_FALSE(placement.has_spilled());
    for (std::uint64_t page = kPagesOfMemory; page < 2 * kPagesOfMemory - 100; ++page)
      ASSERT_EQ(touch(page), 1 - node) << page;
    EXPECT_TRUE(placement.has_spilled());
    EXPECT_THROW(touch(3 * kPagesOfMemory), Error);
  }
}

}  // namespace
}  // namespace Atoll::simulate
