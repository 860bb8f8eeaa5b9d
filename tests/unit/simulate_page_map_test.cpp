// Consistency of placement. Arrays, the tables of `apply`, `simulate` and `profile`, and footprints
// must put each page of random objects on the same node. By the rule of docs/plan-file.md, it is
// that of the run which contains the page's middle.
#include <gtest/gtest.h>

#include <random>

#include "apply/inside/pieces.hpp"
#include "apply/plan_table.hpp"
#include "atoll/array/array.hpp"
#include "fake_backend.hpp"
#include "plan/footprint.hpp"
#include "plan/page_map.hpp"
#include "profile/plan_object.hpp"
#include "profile/predict_plan.hpp"
#include "profile_support.hpp"
#include "simulate/placement.hpp"

namespace Atoll {
namespace {
using Nodes = std::vector<std::optional<NodeId>>;  // by page; unset if the system chooses

constexpr std::uint64_t kPage = 4096;
/// A part of an object, up to `end`. The unit of `end` is 1 / units of the object's size.
struct Share {
  std::uint64_t end = 0;
  NodeId node;
};

Nodes nodes_of_shares(const std::vector<Share>& shares, std::uint64_t units, std::uint64_t pages) {
  Nodes nodes;
  for (std::uint64_t page = 0; page < pages; ++page) {
    std::size_t at = 0;  // a middle exactly at a bound belongs to the part before it
    while (at + 1 < shares.size() && (2 * page + 1) * units > 2 * pages * shares[at].end) ++at;
    nodes.emplace_back(shares[at].node);
  }
  return nodes;
}

Nodes nodes_in_turn(std::vector<NodeId> turns, std::uint64_t granule, std::uint64_t pages,
                    const Machine& machine) {
  std::erase_if(turns, [&](NodeId node) { return !machine.has_memory(node); });
  if (turns.empty()) return Nodes(pages);
  const bool is_distinct = std::set(turns.begin(), turns.end()).size() == turns.size();
  if (granule > 1 || !is_distinct)
    while (granule * 1024 < pages) ++granule;
  Nodes nodes;
  for (std::uint64_t page = 0; page < pages; ++page)
    nodes.emplace_back(turns[page / granule % turns.size()]);
  return nodes;
}

/// Returns the node of each page of an object with `pages` pages, by the rule of the plan file.
Nodes by_rule(const PlannedObject& object, std::uint64_t pages, const Machine& machine) {
  std::vector<Share> shares;
  std::uint64_t units = 1;
  if (!object.runs.empty()) {
    for (const PageRun& run : object.runs) shares.push_back({run.end_page, run.node});
    units = std::max(shares.back().end, (object.bytes + kPage - 1) / kPage);
  } else if (const auto* parts = std::get_if<Partitioned>(&object.layout.where)) {
    for (std::size_t i = 0; i < parts->nodes.size(); ++i)
      shares.push_back({parts->ends.empty() ? i + 1 : parts->ends[i], parts->nodes[i]});
    units = shares.back().end;
  } else if (const auto* distributed = std::get_if<Distributed>(&object.layout.where)) {
    return nodes_in_turn(distributed->nodes, distributed->granule_bytes / kPage, pages, machine);
  } else if (const auto* copies = std::get_if<Replicated>(&object.layout.where)) {
    return nodes_in_turn(copies->nodes, 1, pages, machine);
  } else {
    shares = {{1, std::get<SingleNode>(object.layout.where).node}};
  }
  Nodes nodes = nodes_of_shares(shares, units, pages);
  for (auto& node : nodes)
    if (!machine.has_memory(*node)) node.reset();
  return nodes;
}

class PageMapCallers : public testing::Test {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint64_t some_pages() { return 1 + below(std::uint64_t{1} << (1 + below(12))); }
  std::vector<NodeId> some_nodes(std::uint32_t most) {
    std::vector<NodeId> nodes(1 + below(6));
    for (NodeId& node : nodes) node.value = static_cast<std::uint32_t>(below(most));
    return nodes;
  }
  Layout some_layout(std::uint32_t most, PageSize pages, std::uint64_t elements) {
    const std::vector<NodeId> nodes = some_nodes(most);
    switch (below(5)) {
      case 0:
        return {SingleNode{nodes.front()}, pages};
      case 1:
        return {Distributed{nodes, page_bytes(pages) * (1 + below(3))}, pages};
      case 2: {
        std::vector<NodeId> once = nodes;
        std::ranges::sort(once);
        once.erase(std::ranges::unique(once).begin(), once.end());
        return {Replicated{once}, pages};
      }
      case 3: {
        std::vector<std::uint64_t> ends;
        for (std::size_t i = 0; i < nodes.size(); ++i) ends.push_back(below(elements + 1));
        std::ranges::sort(ends);
        ends.back() = elements;
        return {Partitioned{nodes, ends}, pages};
      }
      default:
        return {Partitioned{nodes}, pages};
    }
  }
  void lie_anyhow(PlannedObject& object) {
    const PageSize pages = below(3) == 0 ? PageSize::huge : PageSize::small;
    const std::uint64_t planned = some_pages();
    object.bytes = planned * kPage - below(kPage);
    object.layout = some_layout(5, pages, object.bytes);  // the machine has nodes 0 to 3
    if (below(2) == 0) return;
    std::uint64_t end = 0;
    while (object.runs.empty() || (end < planned && object.runs.size() < 40))
      object.runs.push_back(
          {end += 1 + below(planned), NodeId{static_cast<std::uint32_t>(below(5))}});
  }

  const Machine machine_ = Machine::open("numa:4 core:2 pu:1");
  std::mt19937 random_{29};
};

/// Objects of a run, and their plan, which was made for other sizes.
struct PlannedRun {
  profile::SyntheticRun run{8};
  ProgramPlan plan;
  std::vector<std::uint64_t> pages;
};

void expect_tables(const PlannedRun& of, std::size_t object, const Nodes& expected,
                   const apply::PlanTable& table) {
  const auto* bytes = table.bytes.data();
  const auto& header = *reinterpret_cast<const apply::inside::Header*>(bytes);
  const auto& target =
      reinterpret_cast<const apply::inside::Target*>(bytes + header.targets)[object];
  Nodes nodes;
  for_each_piece(target, bytes + target.list, of.pages[object],
                 [&](std::uint64_t begin, std::uint64_t end, std::uint32_t node) {
                   ASSERT_EQ(begin, nodes.size());
                   nodes.resize(end, node == apply::inside::kNothing ? std::nullopt
                                                                     : std::optional(NodeId{node}));
                 });
  nodes.resize(of.pages[object]);
  EXPECT_EQ(nodes, expected);
  // An interleave may begin at any node, so the rule `interleave` is used only if all nodes have
  // equal shares.
  EXPECT_EQ(target.rule == apply::inside::Rule::interleave,
            detail::page_map(of.plan.objects[object], Machine::open("numa:4 core:2 pu:1"))
                .is_interleaved());
}

void expect_simulated(const PlannedRun& of, std::size_t object, const Nodes& expected,
                      const Machine& machine, simulate::PlanMatcher& planned) {
  const recording::Object& its = of.run.recording.objects[object];
  const simulate::Model model = simulate::model_of(machine);
  simulate::Placement placement(machine, model, {}, {0, 1, 2, 3});
  const detail::PageMap* const map = planned.allocated(
      0, its.site + 1, its.kind, [&] { return of.run.recording.sites[its.site].frames; });
  ASSERT_NE(map, nullptr);
  const simulate::PlacedObject placed{
      .kind = its.kind, .address = its.address, .bytes = its.bytes, .plan = map};
  const std::uint64_t first = its.address / kPage;
  for (std::uint64_t page = 0; page < expected.size(); ++page) {
    const auto toucher = static_cast<std::uint32_t>(page % 4);
    const std::uint64_t address = std::max((first + page) * kPage, its.address);
    const simulate::Page found = placement.touch(&placed, {.address = address, .node = toucher});
    const NodeId node = model.memories[found.home];
    const bool is_huge = found.size == simulate::PageClass::huge;
    for (std::uint64_t here = page; here < page + (is_huge ? 512 : 1); ++here) {
      ASSERT_EQ(node, expected.at(here).value_or(NodeId{toucher})) << "page " << here;
      ASSERT_EQ(expected[here], expected[page]) << "a huge page on two nodes";
    }
    if (is_huge) page += 511;
  }
}

TEST_F(PageMapCallers, PutEachPageOfAPlannedObjectOnTheSameNode) {
  for (int round = 0; round < 60; ++round) {
    PlannedRun of;
    std::vector<Nodes> expected;
    const profile::Places places = profile::places_of(of.run.build(), machine_);
    std::map<NodeId, std::uint32_t> thread_on;
    for (std::uint32_t thread = 0; thread < 8; ++thread)
      thread_on[places.nodes[places.nodes_of_threads[thread]]] = thread;
    ASSERT_EQ(thread_on.size(), 4U);
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t pages = some_pages(), at = below(2) * 8 * below(kPage / 8);
      const std::uint32_t id = of.run.object("make" + std::to_string(i), i + 1, pages * kPage);
      recording::Object& object = of.run.recording.objects[id];
      object.address += at;
      object.bytes = pages * kPage - at - (pages == 1 ? 0 : below(kPage));
      PlannedObject& planned =
          of.plan.objects.emplace_back(*profile::recognised(of.run.recording, object));
      lie_anyhow(planned);
      of.pages.push_back(pages);
      expected.push_back(by_rule(planned, pages, machine_));
      // The accesses of each page are from the node that the plan assigns to it, so all of them are
      // local.
      for (std::uint64_t page = 0; page < pages; ++page)
        of.run.touch(thread_on.at(expected.back()[page].value_or(NodeId{0})), id,
                     page == 0 ? 0 : page * kPage - at, 1, 0);
    }
    SCOPED_TRACE(to_json(of.plan));
    EXPECT_EQ(predict_plan(of.plan, of.run.build(), machine_).after.local_share, 1);
    const apply::PlanTable table = apply::table_of_plan(of.plan, machine_);
    simulate::PlanMatcher planned(of.plan, machine_);
    for (std::size_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(i);
      expect_tables(of, i, expected[i], table);
      expect_simulated(of, i, expected[i], machine_, planned);
      const detail::PageMap map = detail::page_map(of.plan.objects[i], machine_);
      std::map<NodeId, std::uint64_t> counts;
      for (std::uint64_t page = 0; page < of.pages[i]; ++page) {
        EXPECT_EQ(map.node_of(page, of.pages[i]), expected[i][page]);
        if (expected[i][page]) ++counts[*expected[i][page]];
      }
      const auto counted = map.counts(of.pages[i]);
      EXPECT_EQ((std::map<NodeId, std::uint64_t>(counted.begin(), counted.end())), counts);
    }
  }
}

TEST_F(PageMapCallers, PutArraysWhereAPlanPutsObjectsOfWholePages) {
  memory::FakeBackend fake{memory::four_nodes(1 << 22)};
  const Machine machine = memory::four_node_machine();
  const Team team{ThreadPlaces{{0, NodeId{0}}, {1, NodeId{1}}}, Team::Runtime::std_threads, false};
  const memory::Context context{machine, team, fake};
  for (int round = 0; round < 300; ++round) {
    const PageSize pages = below(3) == 0 ? PageSize::huge : PageSize::small;
    const std::uint64_t page = page_bytes(pages), count = some_pages() / (page / kPage) + 1;
    const bool is_whole = below(2) == 0;
    const std::uint64_t elements = count * page / 8 - (is_whole ? 0 : below(page / 8));
    const Layout layout = some_layout(4, pages, elements);
    SCOPED_TRACE(to_json(layout) + " of " + std::to_string(elements));
    const Array<double> array(context, elements, layout);
    const auto copies = array.where();
    std::map<NodeId, std::uint64_t> bytes;
    for (const auto& copy : copies)
      for (const NodeId node : copy.pages) bytes[node] += kPage;

    const auto* parts = std::get_if<Partitioned>(&layout.where);
    const auto* distributed = std::get_if<Distributed>(&layout.where);
    Nodes expected;  // node of each base page in the first copy
    for (std::uint64_t at = 0; at < copies.front().pages.size(); ++at) {
      NodeId node;
      if (parts != nullptr) {
        const std::uint64_t size = parts->nodes.size(),
                            middle = at * kPage / page * page + page / 2;
        std::size_t part = 0;
        while (part + 1 < size && middle > 8 * (parts->ends.empty() ? elements * (part + 1) / size
                                                                    : parts->ends[part]))
          ++part;
        node = parts->nodes[part];
      } else if (distributed != nullptr) {
        node =
            distributed->nodes[at * kPage / distributed->granule_bytes % distributed->nodes.size()];
      } else if (const auto* copied = std::get_if<Replicated>(&layout.where)) {
        node = copied->nodes.front();
      } else {
        node = std::get<SingleNode>(layout.where).node;
      }
      expected.emplace_back(node);
    }
    EXPECT_EQ(Nodes(copies.front().pages.begin(), copies.front().pages.end()), expected);
    if (is_whole || pages == PageSize::small)
      EXPECT_EQ(detail::footprint(layout, elements * 8, 8),
                detail::Footprint(bytes.begin(), bytes.end()));
    if (is_whole && pages == PageSize::small && copies.size() == 1 &&
        (distributed == nullptr || count <= 1024))
      EXPECT_EQ(by_rule({.bytes = elements * 8, .layout = layout}, count, machine), expected);
  }
}

TEST(PageMap, AdviceCountsThePagesOfAnObjectOfAnotherSize) {
  // The plan's runs end at page 1 (node 0) and page 3 (node 1). All accesses are from node 0.
  const Machine machine = Machine::open("xeon-2x10");
  const auto local_share = [&](std::uint64_t pages) {
    profile::SyntheticRun run(1);
    const std::uint32_t id = run.object("make", 1, pages * kPage);
    for (std::uint64_t page = 0; page < pages; ++page) run.touch(0, id, page * kPage, 1, 0);
    ProgramPlan plan;
    plan.objects = {*profile::recognised(run.recording, run.recording.objects[id])};
    plan.objects[0].bytes = 3 * kPage;
    plan.objects[0].runs = {{1, NodeId{0}}, {3, NodeId{1}}};
    return predict_plan(plan, run.build(), machine).after.local_share;
  };
  EXPECT_DOUBLE_EQ(local_share(3), 1.0 / 3);
  EXPECT_DOUBLE_EQ(local_share(4), 1.0 / 4);
  EXPECT_DOUBLE_EQ(local_share(5), 2.0 / 5);
}

TEST(PageMap, OddSizesAreRoundedToTheNearestPage) {
  PlannedObject object{.bytes = 3 * kPage};
  object.runs = {{1, NodeId{0}}, {3, NodeId{1}}};
  using Counts = std::vector<std::pair<NodeId, std::uint64_t>>;
  EXPECT_EQ(detail::page_map(object).counts(4), (Counts{{NodeId{0}, 1}, {NodeId{1}, 3}}));
  EXPECT_EQ(detail::page_map(object).counts(5), (Counts{{NodeId{0}, 2}, {NodeId{1}, 3}}));
  const PlannedObject parts{
      .bytes = 5 * kPage,
      .layout = {Partitioned{{NodeId{0}, NodeId{1}, NodeId{2}}}, PageSize::small}};
  EXPECT_EQ(detail::page_map(parts).counts(5),
            (Counts{{NodeId{0}, 2}, {NodeId{1}, 1}, {NodeId{2}, 2}}));
}

TEST(PageMap, PartsOfPagesAreThoseOfThePartsBounds) {
  for (std::uint64_t pages = 1; pages < 40; ++pages)
    for (std::uint64_t parts = 1; parts < 50; ++parts) {
      detail::PageMap map{.units = parts};
      for (std::uint32_t part = 0; part < parts; ++part)
        map.runs.push_back({part + 1, NodeId{part}});
      for (std::uint64_t page = 0; page < pages; ++page)
        ASSERT_EQ(detail::part_of_page(page, pages, parts), map.node_of(page, pages)->value);
    }
}

}  // namespace
}  // namespace Atoll
