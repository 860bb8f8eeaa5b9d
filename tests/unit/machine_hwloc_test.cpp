// Machines from hwloc: recorded ones, synthetic descriptions, this computer. The recordings
// (tests/data/machine/*.xml) were written by hwloc's API from synthetic topologies with added
// figures.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "atoll/base/units.hpp"
#include "machine/hwloc_read.hpp"
#include "machine_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll {
namespace {

std::string recorded(const std::string& name) {
  return std::string(ATOLL_SOURCE_DIR "/tests/data/machine/") + name;
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Two packages with an HBM node (0, 2) and a DRAM node (1, 3) each. The HBM nodes have the lower
// numbers.
TEST(MachineHwloc, HbmFromXml) {
  const Machine machine = Machine::open(recorded("hbm.xml"));
  EXPECT_EQ(machine.name(), "hbm.xml");
  EXPECT_EQ(machine.initiators(), (std::vector{node(1), node(3)}));  // HBM: target only
  EXPECT_EQ(machine.processors().size(), 16U);
  EXPECT_EQ(machine.caches().l3_bytes, 32 * kMiB);
  EXPECT_EQ(machine.caches().l3_shared_by, 8);
  for (const unsigned n : {0U, 2U}) {
    EXPECT_EQ(machine.memory(node(n)).tier, "hbm");
    EXPECT_EQ(machine.memory(node(n)).capacity_bytes, 16 * kGiB);
    EXPECT_EQ(machine.memory(node(n + 1)).tier, "dram");
    EXPECT_EQ(machine.nearest_initiator(node(n)), node(n + 1));
  }
  const Place& package = machine.root().children[1];
  EXPECT_EQ(package.kind, PlaceKind::package);
  EXPECT_EQ(package.children.front().kind, PlaceKind::numa);
  EXPECT_EQ(package.children.front().memories, (std::vector{node(2), node(3)}));

  // Figures that hwloc reports are used unchanged.
  const Link& near = machine.link(node(3), node(2));
  EXPECT_EQ(near.latency_ns.value, 135);
  EXPECT_EQ(near.latency_ns.source.origin, Origin::firmware);
  EXPECT_EQ(near.read_bytes_per_second.value, 600000.0 * kMiB);
  EXPECT_EQ(near.write_bytes_per_second.value, 300000.0 * kMiB);
  EXPECT_EQ(near.distance, 13);
  // Other figures are derived from the distances: 21 / 10, and 23 / 13 for the latency of the HBM.
  const Link& far = machine.link(node(3), node(1));
  EXPECT_EQ(far.distance, 21);
  EXPECT_EQ(far.latency_ns.value, 231);
  EXPECT_EQ(far.latency_ns.source.origin, Origin::estimated);
  const Link& far_hbm = machine.link(node(3), node(0));
  EXPECT_EQ(far_hbm.latency_ns.value, 239);
  // Both memories of the other package are reached over the same link, so the bandwidth is the
  // same.
  EXPECT_EQ(far_hbm.read_bytes_per_second.value, far.read_bytes_per_second.value);
  EXPECT_LE(far_hbm.write_bytes_per_second.value, far.write_bytes_per_second.value);
  EXPECT_EQ(far_hbm.read_bytes_per_second.source.origin, Origin::estimated);
  EXPECT_EQ(machine.order(node(3), Ordering::bandwidth),
            (std::vector{node(2), node(3), node(1), node(0)}));
  EXPECT_EQ(machine.order(node(3), Ordering::latency),
            (std::vector{node(3), node(2), node(1), node(0)}));
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
}

// Three nodes with processing units; node 2 has no memory. Memory 3 has no processing units: an
// expander, which differs from DRAM only in latency.
TEST(MachineHwloc, ExpanderAndNodeWithoutMemoryFromXml) {
  const Machine machine = Machine::open(recorded("expander.xml"));
  EXPECT_EQ(machine.initiators(), (std::vector{node(0), node(1), node(2)}));
  EXPECT_FALSE(machine.has_memory(node(2)));
  EXPECT_EQ(machine.memories().size(), 3U);
  EXPECT_EQ(machine.memory(node(0)).tier, "dram");
  EXPECT_EQ(machine.memory(node(3)).tier, "cxl");
  EXPECT_EQ(machine.root().children.front().memories, std::vector{node(3)});  // the expander
  for (const NodeId from : machine.initiators()) {
    EXPECT_EQ(machine.link(from, node(3)).latency_ns.value, 250);
    EXPECT_EQ(machine.order(from, Ordering::latency).back(), node(3));
  }
  EXPECT_EQ(machine.order(node(2), Ordering::latency),
            (std::vector{node(0), node(1), node(3)}));  // node 2 has no memory
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
}

// Four nodes with HBM each, two per package. Within a package, the DRAM's bandwidth doesn't limit
// the HBM's.
TEST(MachineHwloc, OnlyLinksBetweenPackagesLimit) {
  const Machine machine = Machine::open(recorded("hbm-in-groups.xml"));
  ASSERT_EQ(machine.initiators(), (std::vector{node(0), node(1), node(2), node(3)}));
  const auto read = [&](unsigned from, unsigned to) {
    return machine.link(node(from), node(to)).read_bytes_per_second.value;
  };
  EXPECT_EQ(read(1, 5), 200000.0 * kMiB);
  EXPECT_NEAR(read(1, 4), 200000.0 * kMiB * 13 / 15, 1e9);
  EXPECT_NEAR(read(1, 2), 60000.0 * kMiB * 10 / 21, 1e9);
  for (const unsigned far : {6U, 7U}) EXPECT_EQ(read(1, far), read(1, 2)) << far;
  EXPECT_EQ(machine.order(node(1), Ordering::bandwidth),
            (std::vector{node(5), node(4), node(1), node(0), node(2), node(3), node(6), node(7)}));
}

TEST(MachineHwloc, LinesOfCaches) {
  const std::string text = content(recorded("hbm.xml"));
  EXPECT_EQ(detail::machine_from_xml(text, "hbm.xml").caches().line_bytes, 64U);
  std::string longer = text;
  const std::string told = "cache_linesize=\"";
  for (std::size_t at = 0; (at = longer.find(told, at)) != std::string::npos;) {
    at += told.size();
    longer.replace(at, longer.find('"', at) - at, "256");
  }
  EXPECT_EQ(detail::machine_from_xml(longer, "longer.xml").caches().line_bytes, 256U);
  EXPECT_EQ(Machine::open("pack:1 l2:1(size=1MB) core:2 pu:1").caches().line_bytes, 64U);
}

// Two nodes, each with processing units of both packages. hwloc assigns all of these units to the
// first node.
TEST(MachineHwloc, NodesThatCutPackagesAreTold) {
  testing::internal::CaptureStderr();
  const Machine machine = Machine::open(recorded("cut-packages.xml"));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("cut-packages.xml: hwloc shows no processing units of node 1"),
            std::string::npos)
      << said;
  EXPECT_EQ(machine.initiators(), std::vector{node(0)});
  // Memories without processing units by design cause no note.
  testing::internal::CaptureStderr();
  for (const char* file : {"hbm.xml", "expander.xml", "processors-alone.xml"})
    static_cast<void>(Machine::open(recorded(file)));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// Writes files in the kernel's format below /sys: two packages of four cores, and two nodes that
/// each have half of both packages.
void write_cut_packages(const std::filesystem::path& root) {
  const auto file = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text << "\n";
  };
  const std::string cpus = "sys/devices/system/cpu/", nodes = "sys/devices/system/node/";
  for (const char* name : {"online", "possible", "present"}) file(cpus + name, "0-7");
  for (int unit = 0; unit < 8; ++unit) {
    const std::string topology = fmt::format("{}cpu{}/topology/", cpus, unit);
    file(topology + "physical_package_id", std::to_string(unit / 4));
    file(topology + "core_id", std::to_string(unit % 4));
    for (const char* name : {"core_siblings", "package_cpus"})
      file(topology + name, unit < 4 ? "0f" : "f0");
    for (const char* name : {"thread_siblings", "core_cpus"})
      file(topology + name, fmt::format("{:02x}", 1 << unit));
  }
  file(nodes + "online", "0-1");
  for (int node = 0; node < 2; ++node) {
    const std::string here = fmt::format("{}node{}/", nodes, node);
    file(here + "cpumap", node == 0 ? "00000000,00000033" : "00000000,000000cc");
    file(here + "distance", node == 0 ? "10 20" : "20 10");
    file(here + "meminfo", fmt::format("Node {} MemTotal:  1048576 kB", node));
  }
  file("proc/meminfo", "MemTotal:  2097152 kB");
}

TEST(MachineHwloc, NodesOfUnitsAreTheKernels) {
  const TemporaryFolder folder;
  write_cut_packages(folder.path());
  ::setenv("HWLOC_FSROOT", folder.path().c_str(), 1);
  ::setenv("HWLOC_HIDE_ERRORS", "2", 1);
  testing::internal::CaptureStderr();
  const Machine machine = Machine::this_computer();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ::unsetenv("HWLOC_FSROOT");
  ::unsetenv("HWLOC_HIDE_ERRORS");
  std::map<int, unsigned> nodes;
  for (const Processor& processor : machine.processors())
    nodes[processor.os_index] = processor.node.value;
  EXPECT_EQ(nodes, (std::map<int, unsigned>{
                       {0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 0}, {5, 0}, {6, 1}, {7, 1}}));
  EXPECT_EQ(machine.processors().back().package, 1);
  EXPECT_EQ(machine.link(node(0), node(1)).distance, 20);
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
}

TEST(MachineHwloc, AllowedSetsOfXmlAreKept) {  // the machine was recorded in a cpuset
  std::string text = content(recorded("hbm.xml"));
  text = replaced(text, "allowed_cpuset=\"0x0000ffff\"", "allowed_cpuset=\"0x000000f3\"");
  text = replaced(text, "allowed_nodeset=\"0x0000000f\"", "allowed_nodeset=\"0x0000000b\"");
  const Machine machine = detail::machine_from_xml(text, "cpuset.xml");
  EXPECT_EQ(machine.processors().size(), 6U);  // 0, 1, 4-7 of package 0
  EXPECT_EQ(machine.initiators(), std::vector{node(1)});
  EXPECT_FALSE(machine.has_memory(node(2)));
  EXPECT_TRUE(machine.has_memory(node(3)));  // its memory is allowed, its processing units are not
  EXPECT_EQ(machine.link(node(1), node(3)).distance, 21);
  // A figure for all processing units of a node also holds for a subset of them.
  EXPECT_EQ(machine.link(node(1), node(1)).latency_ns.value, 110);
  EXPECT_EQ(machine.link(node(1), node(1)).latency_ns.source.origin, Origin::firmware);
}

TEST(MachineHwloc, Synthetic) {
  const Machine machine = Machine::open("pack:2 numa:2 l3:1(size=1MB) core:3 pu:2");
  EXPECT_EQ(machine.processors().size(), 24U);
  EXPECT_EQ(machine.memories().size(), 4U);
  EXPECT_EQ(machine.initiators().size(), 4U);
  EXPECT_EQ(machine.link(node(0), node(0)).distance, 10);
  EXPECT_EQ(machine.link(node(0), node(1)).distance, 16);
  EXPECT_EQ(machine.link(node(0), node(2)).distance, 22);
  EXPECT_EQ(machine.link(node(0), node(2)).latency_ns.source.origin, Origin::estimated);
  EXPECT_EQ(machine.processors()[23], (Processor{23, 11, 1, node(3)}));
  EXPECT_EQ(machine.caches().l3_shared_by, 6);
}

TEST(MachineHwloc, SyntheticMemoryOnlyNodesAreTargets) {
  const Machine machine = Machine::open("pack:2 [numa(memory=4GB)] [numa(memory=8GB)] core:2 pu:1");
  EXPECT_EQ(machine.initiators(), (std::vector{node(0), node(2)}));
  EXPECT_EQ(machine.memory(node(1)).capacity_bytes, 8'000'000'000U);
  EXPECT_EQ(machine.nearest_initiator(node(3)), node(2));
  // DRAM figures are estimated from the distance: 16 within the package, 22 otherwise.
  EXPECT_EQ(machine.link(node(2), node(3)).latency_ns.value, 160);
  EXPECT_EQ(machine.link(node(0), node(3)).latency_ns.value, 220);
  EXPECT_EQ(machine.link(node(0), node(2)).latency_ns.value, 220);
  // hwloc reports the attached memories' capacity as 0 here.
  EXPECT_EQ(Machine::open("pack:2 [numa] core:2 pu:1").memory(node(1)).capacity_bytes, 0U);
  // An expander for the whole machine. The smallest place that contains all three nodes is the
  // package.
  const Machine shared =
      Machine::open("pack:1 [numa(memory=16GB)] group:3 [numa(memory=1GB)] core:2 pu:1");
  EXPECT_EQ(shared.initiators(), (std::vector{node(0), node(1), node(2)}));
  EXPECT_EQ(shared.order(node(1), Ordering::capacity).front(), node(3));
}

TEST(MachineHwloc, NodeOfTwoPackages) {
  const Machine machine = Machine::open("numa:2 pack:2 core:2 pu:1");
  EXPECT_EQ(machine.root().children[1].kind, PlaceKind::numa);
  EXPECT_EQ(machine.root().children[1].children[0].kind, PlaceKind::package);
  EXPECT_EQ(machine.processors()[7], (Processor{7, 7, 3, node(1)}));
}

TEST(MachineHwloc, LevelsInAnyOrderKeepPackagesAndCores) {
  const auto shape = [](const char* description) {
    const Machine machine = Machine::open(description);
    EXPECT_EQ(Machine::from_json(machine.to_json(), description), machine);
    std::string kinds;
    for (const Place* place = &machine.root().children.front();; place = &place->children.front()) {
      kinds += std::string(to_string(place->kind)) + " ";
      if (place->children.empty()) break;
    }
    return kinds + std::to_string(machine.processors().back().package + 1) + " " +
           std::to_string(machine.processors().back().core + 1);
  };
  EXPECT_EQ(shape("group:2 numa:2 pack:2 core:2 pu:2"), "group numa package core pu 8 16");
  EXPECT_EQ(shape("pack:2 group:2 numa:2 core:2 pu:2"), "package numa core pu 2 16");
  EXPECT_EQ(shape("pack:2 die:2 l3:2 core:2 pu:1"), "numa package l3 core pu 2 16");
  EXPECT_EQ(shape("l3:2 pack:2 core:2 pu:1"), "numa package core pu 4 8");
  EXPECT_EQ(shape("pack:2 core:2 l2:2 pu:2"), "numa package core pu 2 4");
  EXPECT_EQ(shape("numa:2 group:2 pack:2 core:1 pu:1"), "numa package core pu 8 8");
  EXPECT_EQ(shape("pack:2 l3:2 numa:1 core:2 pu:1"), "package numa l3 core pu 2 8");
  EXPECT_EQ(shape("core:2 numa:2 pu:2"), "core pu 1 2");
}

TEST(MachineHwloc, OnlyMachineThatIsThere) {
  for (const char* wrong :
       {"pack:2 core", "core:0 pu:1", "pu:-1", "nonsense", "opteron", "(", "[numa]"})
    EXPECT_NE(input_error([&] { static_cast<void>(Machine::open(wrong)); }).find("hbm-2s"),
              std::string::npos)
        << wrong;
  EXPECT_NE(input_error([] {
              static_cast<void>(Machine::open("/no/such/file.json"));
            }).find("/no/such/file.json: can't be read: No such file"),
            std::string::npos);
  EXPECT_NE(input_error([] {
              static_cast<void>(Machine::open("no-such.xml"));
            }).find("no-such.xml: can't be read: No such file"),
            std::string::npos);
  EXPECT_NE(
      input_error([] { static_cast<void>(Machine::open("/no/such/file")); }).find("can't be read"),
      std::string::npos);
  EXPECT_NE(input_error([] {
              static_cast<void>(Machine::open(ATOLL_SOURCE_DIR "/tests"));
            }).find("is a directory"),
            std::string::npos);
  EXPECT_NE(input_error([] {
              static_cast<void>(Machine::open(ATOLL_SOURCE_DIR "/CMakeLists.txt"));
            }).find("neither kind"),
            std::string::npos);
}

TEST(MachineHwloc, BrokenXmlIsAnErrorAtMost) {
  const std::string whole = content(recorded("hbm.xml"));
  std::vector<std::string> broken{"", "<", "not XML at all", std::string(100, '\0')};
  for (std::size_t size = 0; size < whole.size(); size += 331)
    broken.push_back(whole.substr(0, size));
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    std::string text = whole;
    text[random() % text.size()] = static_cast<char>(random() % 256);
    broken.push_back(text);
  }
  std::size_t errors = 0;
  for (const std::string& text : broken) {
    try {
      static_cast<void>(detail::machine_from_xml(text, "broken.xml"));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
      EXPECT_TRUE(std::string_view(error.what()).starts_with("broken.xml: ")) << error.what();
      ++errors;
    }
  }
  EXPECT_GT(errors, broken.size() / 3);
}

/// Returns the processing units on which this process may run.
std::set<int> affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::set<int> units;
  for (int pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(pu, &set)) units.insert(pu);
  return units;
}

void pin_to(int pu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(pu, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

TEST(MachineHwloc, ThisComputer) {
  const Machine machine = Machine::this_computer();
  const std::set<int> before = affinity();
  std::set<int> seen;
  for (const Processor& processor : machine.processors()) seen.insert(processor.os_index);
  EXPECT_EQ(seen, before);
  for (const MemoryNode& memory : machine.memories()) {
    EXPECT_GT(memory.capacity_bytes, 0U);
    EXPECT_EQ(memory.source.origin, Origin::firmware);
    ASSERT_TRUE(memory.free_bytes);
    EXPECT_LE(*memory.free_bytes, memory.capacity_bytes);
    EXPECT_GT(*memory.free_bytes, 0U);
  }
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
  // A pinned thread, for example of a Team, sees the same machine.
  pin_to(*before.begin());
  const Machine pinned = Machine::open("");
  EXPECT_EQ(pinned.processors().size(), before.size());
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int pu : before) CPU_SET(pu, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

TEST(MachineHwlocDeathTest, ThisComputerIsWhatThisProcessMayRunOn) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // runs in a new process, which hasn't read the machine yet
  EXPECT_EXIT(
      {
        const int first = *affinity().rbegin();
        pin_to(first);
        const Machine machine = Machine::this_computer();
        const bool as_it_should =
            machine.processors().size() == 1 && machine.processors()[0].os_index == first;
        std::exit(as_it_should ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace Atoll
