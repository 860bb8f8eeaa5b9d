// Missing or wrong figures from hwloc are treated as unknown, and the machine still opens. The
// files tests/data/machine/*.xml are handwritten, one for each case.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "atoll/base/units.hpp"
#include "machine/hwloc_read.hpp"
#include "machine_support.hpp"
#include "plan/footprint.hpp"
#include "temporary_folder.hpp"

namespace Atoll {
namespace {

std::string path_of(const std::string& name) {
  return ATOLL_SOURCE_DIR "/tests/data/machine/" + name;
}

std::string text_of(const std::string& name) {
  std::ifstream file(path_of(name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Opens the machine of a file. Checks that it is unchanged after writing and reading its machine
/// file.
Machine recorded(const std::string& name) {
  Machine machine = Machine::open(path_of(name));
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
  return machine;
}

// Four cores: one has an L2 of unknown size, one has none, one has 2 MiB, one claims 2^64-1 bytes.
TEST(MachineUnknown, CachesWithoutASize) {
  const Machine machine = recorded("cache-sizes.xml");
  const std::vector<Place>& places = machine.root().children.front().children;  // children of the
                                                                                // numa place
  ASSERT_EQ(places.size(), 4U);
  EXPECT_EQ(places[0].kind, PlaceKind::l2);
  EXPECT_EQ(places[0].cache_bytes, 0U);
  EXPECT_EQ(places[1].kind, PlaceKind::core);
  EXPECT_EQ(places[2].cache_bytes, 2 * kMiB);
  EXPECT_EQ(places[3].kind, PlaceKind::l2);
  EXPECT_EQ(places[3].cache_bytes, 0U);
  EXPECT_EQ(machine.caches().l2_bytes, 0U);
}

// The figures caches() are those above the first processing unit, which has no caches here.
TEST(MachineUnknown, CachesOfOtherProcessingUnitsAlone) {
  const std::string text = Machine::open("numa:1(memory=1GB) pu:1").to_json();
  const Machine machine = Machine::from_json(
      replaced(text, "\"numa > pu\"",
               R"([{"chain": "numa", "inside": ["pu", "l3 8 MiB > 2 l2 1 MiB > 2 pu"]}])"),
      "caches.json");
  EXPECT_EQ(machine.processors().size(), 5U);
  EXPECT_EQ(machine.caches().l2_bytes, 0U);
  EXPECT_EQ(machine.caches().l3_bytes, 0U);
  EXPECT_EQ(machine.caches().l3_shared_by, 1);
}

// Package numbers are those of the firmware. 2^32-2 means no number.
TEST(MachineUnknown, PackageNumbersAbove65536) {
  const Machine machine = recorded("package-numbers.xml");
  std::vector<int> numbers;
  for (const Place& package : machine.root().children) numbers.push_back(package.os_index);
  EXPECT_EQ(numbers, (std::vector{65536, 196611, 2}));
  // A list of numbers can't be longer than the number of packages.
  const std::string text = replaced(machine.to_json(), "\"65536,196611,2\"", "\"0-2147483647\"");
  EXPECT_NE(input_error([&] {
              static_cast<void>(Machine::from_json(text, "long.json"));
            }).find("/package_numbers: '0-2147483647' is not a list"),
            std::string::npos);
}

// In package 0, node 0 has two of the four processing units. Packages 1 and 3 have no memory.
// Package 2 has node 2.
TEST(MachineUnknown, ProcessorsWithoutMemoryOfTheirOwn) {
  const Machine machine = recorded("processors-alone.xml");
  std::vector<NodeId> nodes;
  for (const Processor& processor : machine.processors()) nodes.push_back(processor.node);
  // Nodes 1, 3 and 4 are created for processing units without a NUMA node.
  EXPECT_EQ(nodes, (std::vector{node(0), node(0), node(1), node(1), node(3), node(3), node(2),
                                node(2), node(4), node(4)}));
  EXPECT_EQ(machine.memories().size(), 2U);
  EXPECT_EQ(machine.link(node(0), node(2)).distance, 31);  // from the firmware's table
  EXPECT_EQ(machine.link(node(1), node(0)).distance, 16);  // both in one package
  EXPECT_EQ(machine.link(node(1), node(2)).distance, 22);
  EXPECT_EQ(machine.link(node(3), node(0)).distance, 22);
  EXPECT_EQ(machine.order(node(1), Ordering::latency).front(), node(0));
  EXPECT_NE(machine.about().find("Node 3 is no NUMA node: processing units 4-5 have no memory"),
            std::string::npos)
      << machine.about();
  // Only one package is allowed.
  const Machine alone = detail::machine_from_xml(
      replaced(text_of("processors-alone.xml"), "allowed_cpuset=\"0x000003ff\"",
               "allowed_cpuset=\"0x00000030\""),
      "alone.xml");
  EXPECT_EQ(alone.initiators(), std::vector{node(3)});
  EXPECT_EQ(alone.memories().size(), 2U);
  EXPECT_EQ(alone.memory(node(2)).tier, "dram");
}

// Row: initiator, column: memory: 10 20 30, 25 10 40, 50 15 10.
TEST(MachineUnknown, DistancesDifferByDirection) {
  const Machine machine = recorded("asymmetric.xml");
  const double rows[3][3] = {{10, 20, 30}, {25, 10, 40}, {50, 15, 10}};
  for (unsigned from = 0; from < 3; ++from)
    for (unsigned to = 0; to < 3; ++to)
      EXPECT_EQ(machine.link(node(from), node(to)).distance, rows[from][to]) << from << to;
  // Local accesses take 100 ns (docs/machine-file.md); others are scaled by distance.
  EXPECT_EQ(machine.link(node(0), node(2)).latency_ns.value, 300);
  EXPECT_EQ(machine.link(node(2), node(0)).latency_ns.value, 500);
  EXPECT_EQ(machine.order(node(2), Ordering::latency), (std::vector{node(2), node(1), node(0)}));
  EXPECT_EQ(machine.order(node(0), Ordering::latency), (std::vector{node(0), node(1), node(2)}));
}

TEST(MachineUnknown, CapacitiesThatNobodyTells) {
  const Machine machine = recorded("no-capacities.xml");
  ASSERT_EQ(machine.memories().size(), 2U);
  EXPECT_EQ(machine.processors()[3].node, node(1));
  for (const MemoryNode& memory : machine.memories()) {
    EXPECT_EQ(memory.capacity_bytes, 0U);  // unknown capacity
    EXPECT_FALSE(memory.free_bytes);
    // Plans for this machine are accepted, and the sum of its memories doesn't overflow.
    EXPECT_GT(detail::free_bytes(memory), std::uint64_t{1} << 50);
  }
  EXPECT_EQ(detail::free_in_all(machine, PageSize::small),
            detail::free_bytes(machine.memories()[0]) + detail::free_bytes(machine.memories()[1]));
  EXPECT_EQ(machine.to_json().find("capacity"), std::string::npos);
  // If one node has a capacity, a node without one has no memory.
  const std::string text = text_of("no-capacities.xml");
  const Machine one = detail::machine_from_xml(
      replaced(text, "local_memory=\"0\"", "local_memory=\"4096\""), "one.xml");
  EXPECT_FALSE(one.has_memory(node(0)));
  EXPECT_EQ(one.memory(node(1)).capacity_bytes, 4096U);
  // 2^63 bytes are impossible, so the capacity is unknown.
  const Machine nonsense = detail::machine_from_xml(
      replaced(text, "local_memory=\"0\"", "local_memory=\"9223372036854775808\""), "nonsense.xml");
  EXPECT_EQ(nonsense.memory(node(1)).capacity_bytes, 0U);
}

// Replaces every number in two files by nonsense, one number at a time. Either hwloc refuses the
// file or the machine opens. Numbers of units and nodes are kept, because duplicates of these are
// contradictions.
TEST(MachineUnknown, NonsenseNumbersAreNoContradictions) {
  std::size_t opened = 0;
  for (const char* name : {"asymmetric.xml", "cache-sizes.xml"}) {
    const std::string text = text_of(name);
    for (std::size_t at = 0; (at = text.find_first_of("\" ", at)) != std::string::npos; ++at) {
      const std::size_t end = text.find_first_not_of("0123456789", at + 1);
      if (end == at + 1 || (text[end] != '"' && text[end] != ' ')) continue;
      if (text.substr(0, at).ends_with(" os_index=") || text.substr(0, at).ends_with("gp_index="))
        continue;
      for (const char* nonsense : {"0", "18446744073709551615"}) {
        std::string changed = text;
        changed.replace(at + 1, end - at - 1, nonsense);
        try {
          static_cast<void>(detail::machine_from_xml(changed, "changed.xml"));
          ++opened;
        } catch (const Error& error) {
          EXPECT_NE(std::string_view(error.what()).find("not an hwloc XML file, or a broken one"),
                    std::string_view::npos)
              << error.what() << "\n"
              << name << ": " << text.substr(at > 60 ? at - 60 : 0, 80) << " -> " << nonsense;
        }
      }
    }
  }
  EXPECT_GT(opened, 30U);
}

/// Makes hwloc describe this computer by an XML file, and opens it. Returns an exit code.
int open_as_this_computer(const std::string& xml) {
  setenv("HWLOC_XMLFILE", xml.c_str(), 1);
  setenv("HWLOC_THISSYSTEM", "1", 1);
  const std::size_t units = Machine::this_computer().processors().size();
  const std::uint64_t free = Machine::this_computer().memories().front().free_bytes.value_or(0);
  const std::string about = Machine::this_computer().about();
  std::fprintf(stderr, "%zu units, %s\n", units, about.c_str());
  return units >= 1 && free > 0 ? 0 : 1;
}

// In the first file, hwloc allows none of the processing units.
TEST(MachineUnknownDeathTest, ThisComputerOpensWhateverHwlocTells) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TemporaryFolder folder;
  const std::string none = folder / "none.xml";
  std::ofstream(none) << replaced(text_of("no-capacities.xml"), "allowed_cpuset=\"0x0000000f\"",
                                  "allowed_cpuset=\"0x00000000\"");
  const auto end = [&](int code) {
    std::filesystem::remove_all(folder.path());  // exit() calls no destructor of local variables
    std::exit(code);
  };
  EXPECT_EXIT(end(open_as_this_computer(none)), testing::ExitedWithCode(0),
              "Only processing units and memory: hwloc's description isn't usable");
  // Here hwloc allows processing unit 0, and the capacities are unknown.
  EXPECT_EXIT(end(open_as_this_computer(path_of("no-capacities.xml"))), testing::ExitedWithCode(0),
              "units, Distances: estimated");
}

}  // namespace
}  // namespace Atoll
