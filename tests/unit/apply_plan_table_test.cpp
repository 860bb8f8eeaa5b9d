// The table of a plan: targets of objects and threads, including nodes and processing units that
// the machine lacks.
#include <gtest/gtest.h>

#include "apply/plan_table.hpp"
#include "atoll/base/error.hpp"

namespace Atoll::apply {
namespace {

using inside::kNothing;
using inside::Rule;

class Reader {
 public:
  explicit Reader(const PlanTable& table) : bytes_(table.bytes.data()) {}
  template <typename T>
  const T& at(inside::Offset offset, std::size_t i = 0) const {
    return reinterpret_cast<const T*>(bytes_ + offset)[i];
  }
  const inside::Header& header() const { return at<inside::Header>(0); }
  const inside::Target& target(std::size_t i) const {
    return at<inside::Target>(header().targets, i);
  }

 private:
  const std::byte* bytes_;
};

const Machine kMachine = Machine::open("numa:4 core:2 pu:1");

std::vector<NodeId> nodes(std::initializer_list<std::uint32_t> numbers) {
  std::vector<NodeId> list;
  for (const auto number : numbers) list.push_back(NodeId{number});
  return list;
}

PlannedObject heap(const Layout& layout, std::uint64_t pages, std::uint32_t order = 0,
                   int line = 1) {
  return {.kind = PlannedObject::Kind::heap,
          .stack = {{.function = "f", .file = "f.c", .line = line}},
          .bytes = pages * 4096,
          .order = order,
          .layout = layout};
}

TEST(PlanTable, LayoutsBecomeRules) {
  ProgramPlan plan;
  plan.objects = {heap({SingleNode{NodeId{2}}, PageSize::small}, 10),
                  heap({Partitioned{nodes({0, 1, 3})}, PageSize::huge}, 10, 1),
                  heap({Distributed{nodes({0, 3})}, PageSize::small}, 10, 2),
                  heap({Distributed{nodes({0, 3, 3})}, PageSize::small}, 10, 3),
                  heap({Distributed{nodes({0, 3}), 8192}, PageSize::small}, 10, 4),
                  heap({Replicated{nodes({1, 2})}, PageSize::small}, 10, 5)};
  plan.objects[0].runs = {};
  const PlanTable table = table_of_plan(plan, kMachine);
  const Reader read(table);
  ASSERT_EQ(read.header().target_count, 6U);
  EXPECT_EQ(read.header().bytes, table.bytes.size());
  EXPECT_EQ(read.target(0).rule, Rule::runs);
  EXPECT_EQ(read.at<inside::Run>(read.target(0).list).node, 2U);
  EXPECT_EQ(read.target(0).huge, 0U);
  EXPECT_EQ(read.target(1).huge, 1U);
  ASSERT_EQ(read.target(1).count, 3U);
  EXPECT_EQ(read.target(1).pages, 3U);
  EXPECT_EQ(read.at<inside::Run>(read.target(1).list, 0).end, 1U);
  EXPECT_EQ(read.at<inside::Run>(read.target(1).list, 2).node, 3U);
  EXPECT_EQ(read.target(2).rule, Rule::interleave);
  EXPECT_EQ(read.target(3).rule, Rule::granules);  // the weights are kept
  EXPECT_EQ(read.target(3).count, 3U);
  EXPECT_EQ(read.target(4).rule, Rule::granules);
  EXPECT_EQ(read.target(4).pages, 2U);
  EXPECT_EQ(read.target(5).rule, Rule::interleave);  // instead of replicated
  EXPECT_EQ(read.target(0).planned_pages, 10U);
}

TEST(PlanTable, RunsAreOfTheWholeObject) {
  ProgramPlan plan;
  plan.objects = {heap({SingleNode{NodeId{0}}, PageSize::small}, 10)};
  plan.objects[0].runs = {{2, NodeId{1}}, {4, NodeId{9}}};
  const PlanTable table = table_of_plan(plan, kMachine);
  const Reader read(table);
  EXPECT_EQ(read.target(0).pages, 10U);
  EXPECT_EQ(read.at<inside::Run>(read.target(0).list, 0).end, 2U);
  EXPECT_EQ(read.at<inside::Run>(read.target(0).list, 1).node, kNothing);  // node 9 doesn't exist
  EXPECT_EQ(missing_nodes(plan, kMachine), nodes({9}));
}

TEST(PlanTable, EachObjectHasItsOwnRuns) {
  ProgramPlan plan;
  for (std::uint32_t i = 0; i < 4; ++i) {
    plan.objects.push_back(heap({SingleNode{NodeId{0}}, PageSize::small}, 20 + i, i));
    for (std::uint64_t run = 1; run <= i + 1; ++run)
      plan.objects.back().runs.push_back(
          {5 * run + i, NodeId{(i + static_cast<std::uint32_t>(run)) % 4}});
  }
  const PlanTable table = table_of_plan(plan, kMachine);
  const Reader read(table);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const inside::Target& target = read.target(i);
    EXPECT_EQ(target.rule, Rule::runs);
    EXPECT_EQ(target.pages, std::max(20U + i, 5 * (i + 1) + i));
    ASSERT_EQ(target.count, i + 1);
    for (std::uint32_t run = 0; run <= i; ++run) {
      EXPECT_EQ(read.at<inside::Run>(target.list, run).end, 5 * (run + 1) + i);
      EXPECT_EQ(read.at<inside::Run>(target.list, run).node, (i + run + 1) % 4);
    }
  }
}

TEST(PlanTable, OnePlacesObjectsByTheirOrder) {
  const Layout a{SingleNode{NodeId{0}}, PageSize::small}, b{SingleNode{NodeId{1}}, PageSize::small};
  ProgramPlan plan;
  plan.objects = {heap(a, 1, 1), heap(b, 1, 3), heap(a, 1, 0, 2), heap(a, 1, 1, 2)};
  plan.objects.push_back(heap(b, 1, 0, 3));
  plan.objects.back().kind = PlannedObject::Kind::pool;
  const PlanTable table = table_of_plan(plan, kMachine);
  const Reader read(table);
  ASSERT_EQ(read.header().group_count, 2U);
  const auto& group = read.at<inside::Group>(read.header().groups, table.heap.groups.at(0));
  ASSERT_EQ(group.count, 4U);
  const std::uint32_t expected[] = {kNothing, 0, kNothing, 1};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(read.at<std::uint32_t>(group.targets, i), expected[i]);
  EXPECT_EQ(group.further, kNothing);
  EXPECT_EQ(read.at<inside::Group>(read.header().groups, table.heap.groups.at(1)).further, 2U);
  EXPECT_EQ(table.heap.pools.at(2), 4U);
  EXPECT_EQ(read.header().pools, 1U);
}

TEST(PlanTable, MappingsHavePlacesOfTheirOwn) {
  const Layout a{SingleNode{NodeId{0}}, PageSize::small};
  ProgramPlan plan;
  plan.objects = {heap(a, 10), heap(a, 10), heap(a, 10, 1)};
  plan.objects[1].kind = plan.objects[2].kind = PlannedObject::Kind::mapping;
  const PlanTable table = table_of_plan(plan, kMachine);
  const Reader read(table);
  ASSERT_EQ(read.header().group_count, 2U);
  EXPECT_EQ(read.header().mappings, 1U);
  const auto& group = read.at<inside::Group>(read.header().groups, table.mappings.groups.at(0));
  ASSERT_EQ(group.count, 2U);
  EXPECT_EQ(read.at<std::uint32_t>(group.targets, 0), 1U);
  EXPECT_EQ(read.at<std::uint32_t>(group.targets, 1), 2U);
  EXPECT_EQ(read.target(0).group, table.heap.groups.at(0));
  EXPECT_EQ(read.target(1).group, table.mappings.groups.at(0));
  EXPECT_EQ(read.target(0).mapping, 0U);
  EXPECT_EQ(read.target(1).mapping, 1U);
  EXPECT_EQ(read.target(1).planned_pages, 10U);
}

TEST(PlanTable, UnitsOfThreads) {
  ProgramPlan plan;
  plan.threads = {{.node = NodeId{1}},
                  {.node = NodeId{1}, .pus = {7, 99}},
                  {.node = NodeId{8}},
                  {.node = NodeId{1}, .pus = {98, 99}}};
  const auto words = [&](const Reader& read, std::size_t i) {
    return read.at<inside::Units>(read.header().threads, i).words[0];
  };
  {
    const PlanTable table = table_of_plan(plan, kMachine);
    EXPECT_EQ(words(Reader(table), 0), 0U);  // the plan doesn't bind threads
    EXPECT_TRUE(missing_nodes(plan, kMachine).empty());
  }
  plan.bind_threads = true;
  const PlanTable table = table_of_plan(plan, kMachine);
  const Reader read(table);
  EXPECT_EQ(words(read, 0), 0b1100U);
  EXPECT_EQ(words(read, 1), 0b10000000U);
  EXPECT_EQ(words(read, 2), 0U);
  EXPECT_EQ(words(read, 3), 0b1100U);  // the machine has none of the requested units: all units of
                                       // the node
  EXPECT_EQ(read.header().allowed.words[0], 0xffU);
  EXPECT_EQ(missing_nodes(plan, kMachine), nodes({8}));
}

TEST(PlanTable, UnitsInTurn) {
  const PlanTable table = table_of_units({3, 1}, kMachine);
  const Reader read(table);
  ASSERT_EQ(read.header().unit_count, 2U);
  EXPECT_EQ(read.at<inside::Unit>(read.header().units, 0).number, 3);
  EXPECT_EQ(read.at<inside::Unit>(read.header().units, 1).number, 1);
}

}  // namespace
}  // namespace Atoll::apply
