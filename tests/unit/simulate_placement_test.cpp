// Placement of pages when memories are full.
#include "simulate/placement.hpp"

#include <gtest/gtest.h>

#include "atoll/machine/machine.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kPage = 4096, kPagesOfMemory = 256;

/// Returns a machine of two nodes, each with kPagesOfMemory pages.
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
    const PlacedObject copied{.kind = recording::ObjectKind::heap,
                              .address = 1U << 30,
                              .bytes = 100 * kPage,
                              .layout = ObjectLayout::replicated};
    for (std::uint64_t page = 0; page < 100; ++page)
      EXPECT_TRUE(placement.touch(&copied, {.address = copied.address + page * kPage}).replicated);
    // Touched pages fill the rest of the node's memory, then the other memory.
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

TEST(SimulatePlacement, TellsPagesThatLieWhereTheThreadWas) {
  const Machine machine = small_machine();
  const Model model = model_of(machine);
  const auto lies_there = [&](Placement& placement, const PlacedObject* object,
                              const PagePolicy* asked) {
    const Touch touch{.address = 1U << 30, .node = 0, .asked = asked};
    return placement.is_first_touch(object, touch, placement.touch(object, touch));
  };
  Options options;
  options.pages = PageSize::small;
  Placement placement(machine, model, options, {0, 1});
  PlacedObject object{.kind = recording::ObjectKind::heap, .address = 1U << 30, .bytes = 8 * kPage};
  const PagePolicy nothing, own{.how = PagePolicy::How::own, .memories = {}};
  const PagePolicy bound{.how = PagePolicy::How::only, .memories = {0}};
  EXPECT_TRUE(lies_there(placement, nullptr, nullptr));
  EXPECT_TRUE(lies_there(placement, &object, &nothing));
  EXPECT_TRUE(lies_there(placement, &object, &own));
  EXPECT_FALSE(lies_there(placement, &object, &bound));
  for (const ObjectLayout layout : {ObjectLayout::single, ObjectLayout::distributed,
                                    ObjectLayout::partitioned, ObjectLayout::replicated}) {
    object.layout = layout;
    object.is_named = false;
    EXPECT_FALSE(lies_there(placement, &object, nullptr));
    EXPECT_TRUE(lies_there(placement, &object, &own));  // the program's own placement call takes
                                                        // precedence
    object.is_named = true;
    EXPECT_FALSE(lies_there(placement, &object, &own));
  }
  object.layout = ObjectLayout::first_touch;
  EXPECT_TRUE(lies_there(placement, &object, &own));
  PageMap plan;
  plan.runs = {{.end = 1, .node = NodeId{0}}};
  object.plan = &plan;
  EXPECT_FALSE(lies_there(placement, &object, nullptr));
  plan.runs.front().node.reset();
  EXPECT_TRUE(lies_there(placement, &object, nullptr));
  object.plan = nullptr;
  placement.share_zeros();
  object.is_private = true;
  EXPECT_FALSE(lies_there(placement, &object, nullptr));  // it maps the zero page
  options.policy = PlacementPolicy::interleave;
  Placement in_turn(machine, model, options, {0, 1});
  EXPECT_FALSE(lies_there(in_turn, nullptr, nullptr));
  options.policy = PlacementPolicy::os;
  Placement spilled(machine, model, options, {0, 1});
  for (std::uint64_t page = 0; page < kPagesOfMemory; ++page)
    (void)spilled.touch(nullptr, {.address = page * kPage});
  EXPECT_FALSE(lies_there(spilled, nullptr, nullptr));
}

}  // namespace
}  // namespace Atoll::simulate
