// The presets are consistent and complete, and match the papers' descriptions of their machines.
#include <algorithm>
#include <map>
#include <set>

#include "atoll/base/units.hpp"
#include "machine_support.hpp"

namespace Atoll {
namespace {

TEST(MachinePresets, TheirNames) {
  EXPECT_EQ(Machine::preset_names(),
            (std::vector<std::string>{"altix-3700", "cxl-2s", "hbm-2s", "knl-7210",
                                      "knl-7210-cache", "opteron-8x8", "p100-host", "xeon-2x10",
                                      "xeon-4x8x2", "xeon-x7550"}));
}

class Preset : public testing::TestWithParam<std::string> {
 protected:
  Machine machine_ = Machine::open(GetParam());
};

TEST_P(Preset, RoundTrips) {
  const std::string text = machine_.to_json();
  const Machine again = Machine::from_json(text, "again");
  EXPECT_EQ(again, machine_);
  EXPECT_EQ(again.to_json(), text);
  EXPECT_EQ(machine_.name(), GetParam());
}

TEST_P(Preset, EveryFigureHasASource) {
  for (const MemoryNode& memory : machine_.memories()) {
    EXPECT_FALSE(memory.source.text.empty());
    EXPECT_FALSE(memory.free_bytes);
    for (const NodeId from : machine_.initiators()) {
      const Link& link = machine_.link(from, memory.id);
      for (const Figure* figure :
           {&link.latency_ns, &link.read_bytes_per_second, &link.write_bytes_per_second}) {
        EXPECT_FALSE(figure->source.text.empty());
        EXPECT_NE(figure->source.origin, Origin::user);
        EXPECT_NE(figure->source.origin, Origin::measured);  // by Atoll
        EXPECT_NE(figure->source.origin, Origin::firmware);
      }
    }
  }
}

TEST_P(Preset, IsPlausible) {
  for (const NodeId from : machine_.initiators())
    for (const MemoryNode& memory : machine_.memories()) {
      const Link& link = machine_.link(from, memory.id);
      EXPECT_LE(link.write_bytes_per_second.value, link.read_bytes_per_second.value);
      EXPECT_GT(link.latency_ns.value, 50);
      EXPECT_LE(link.latency_ns.value, 1000);
      EXPECT_GT(link.read_bytes_per_second.value, 1e9);
      EXPECT_LT(link.read_bytes_per_second.value, 1e12);
      // Among memories of one tier, a node's local memory is the fastest.
      if (memory.tier != "dram") continue;
      const Link& own = machine_.link(from, from);
      EXPECT_LE(own.latency_ns.value, link.latency_ns.value);
      EXPECT_GE(own.read_bytes_per_second.value, link.read_bytes_per_second.value);
    }
}

TEST_P(Preset, BothDirectionsAreAlike) {
  for (const NodeId a : machine_.initiators())
    for (const NodeId b : machine_.initiators())
      EXPECT_EQ(machine_.link(a, b), machine_.link(b, a)) << a.value << " " << b.value;
}

INSTANTIATE_TEST_SUITE_P(All, Preset, testing::ValuesIn(Machine::preset_names()),
                         [](const auto& preset) {
                           std::string name = preset.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Facts about a machine from tables in the papers.
struct Facts {
  const char* name;
  std::size_t packages, nodes, cores, units;
  std::uint64_t l1, l2, l3;
  std::uint64_t gib_of_node_0;
};

TEST(MachinePresets, AreTheMachinesOfThePapers) {
  const Facts facts[] = {// [shoal Table 2]; the third has one thread per core, as its name says
                         {"opteron-8x8", 4, 8, 64, 64, 16 * kKiB, 2048 * kKiB, 6144 * kKiB, 64},
                         {"xeon-4x8x2", 4, 4, 32, 64, 32 * kKiB, 256 * kKiB, 20480 * kKiB, 128},
                         {"xeon-2x10", 2, 2, 20, 20, 32 * kKiB, 256 * kKiB, 25600 * kKiB, 128},
                         // [hashsieve-numa Table I]
                         {"xeon-x7550", 4, 4, 32, 64, 32 * kKiB, 256 * kKiB, 18 * kMiB, 32},
                         // [affinity-scheduling §5]
                         {"altix-3700", 512, 256, 512, 512, 16 * kKiB, 256 * kKiB, 9 * kMiB, 4},
                         // [out-of-core-stencils §5.2, §5.3]
                         {"knl-7210", 1, 1, 64, 256, 32 * kKiB, kMiB, 0, 96},
                         {"p100-host", 1, 1, 8, 16, 32 * kKiB, 256 * kKiB, 20 * kMiB, 64}};
  for (const Facts& fact : facts) {
    const Machine machine = Machine::open(fact.name);
    std::set<int> packages, cores;
    for (const Processor& processor : machine.processors())
      packages.insert(processor.package), cores.insert(processor.core);
    EXPECT_EQ(packages.size(), fact.packages) << fact.name;
    EXPECT_EQ(cores.size(), fact.cores) << fact.name;
    EXPECT_EQ(machine.processors().size(), fact.units) << fact.name;
    EXPECT_EQ(machine.initiators().size(), fact.nodes) << fact.name;
    EXPECT_EQ(machine.caches().l1_bytes, fact.l1) << fact.name;
    EXPECT_EQ(machine.caches().l2_bytes, fact.l2) << fact.name;
    EXPECT_EQ(machine.caches().l3_bytes, fact.l3) << fact.name;
    EXPECT_EQ(machine.memory(node(0)).capacity_bytes, fact.gib_of_node_0 * kGiB) << fact.name;
  }
  EXPECT_EQ(Machine::open("altix-3700").caches().line_bytes, 128U);
}

TEST(MachinePresets, FiguresOfThePapers) {
  const auto read = [](const char* name, unsigned from, unsigned to) {
    const Figure figure = Machine::open(name).link(node(from), node(to)).read_bytes_per_second;
    EXPECT_EQ(figure.source.origin, Origin::paper) << name;
    return figure.value;
  };
  EXPECT_EQ(read("opteron-8x8", 0, 2), 9.6e9);
  EXPECT_EQ(read("xeon-4x8x2", 0, 1), 9.6e9);
  EXPECT_EQ(read("knl-7210", 0, 0), 60.8e9);
  EXPECT_EQ(read("knl-7210", 0, 1), 314e9);
  EXPECT_EQ(read("p100-host", 0, 1), 11e9);
  const Machine x7550 = Machine::open("xeon-x7550");
  const Figure factor = x7550.link(node(0), node(3)).latency_ns;
  EXPECT_EQ(factor.value / x7550.link(node(0), node(0)).latency_ns.value, 1.5);
  EXPECT_EQ(factor.source.origin, Origin::paper);
}

TEST(MachinePresets, MemoriesWithoutProcessingUnits) {
  const std::map<std::string, std::pair<std::string, std::vector<NodeId>>> expected{
      {"hbm-2s", {"hbm", {node(2), node(3)}}},
      {"cxl-2s", {"cxl", {node(2)}}},
      {"knl-7210", {"hbm", {node(1)}}},
      {"p100-host", {"gpu", {node(1)}}}};
  for (const auto& [name, tier_and_nodes] : expected) {
    const Machine machine = Machine::open(name);
    const std::vector<NodeId> initiators = machine.initiators();
    for (const NodeId target : tier_and_nodes.second) {
      EXPECT_EQ(machine.memory(target).tier, tier_and_nodes.first) << name;
      EXPECT_EQ(std::count(initiators.begin(), initiators.end(), target), 0) << name;
    }
    EXPECT_EQ(initiators.size() + tier_and_nodes.second.size(), machine.memories().size()) << name;
  }
}

TEST(MachinePresets, OpteronDistancesByHops) {
  const Machine machine = Machine::open("opteron-8x8");
  for (unsigned a = 0; a < 8; ++a)
    for (unsigned b = 0; b < 8; ++b) {
      const bool one_hop = a / 2 == b / 2 || a % 2 == b % 2;
      EXPECT_EQ(machine.link(node(a), node(b)).distance, a == b ? 10 : one_hop ? 16 : 22);
    }
}

}  // namespace
}  // namespace Atoll
