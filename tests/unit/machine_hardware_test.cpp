// The parts 'hardware' and 'wires' of machine files, and the routes of data over wires.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"
#include "machine/routes.hpp"

namespace Atoll {
namespace {

/// A machine with four nodes; `more` has further keys of the file.
Machine square(const std::string& more) {
  return Machine::from_json(R"({
    "atoll_machine": 1, "name": "square",
    "sources": {"s": {"origin": "user", "text": "s"}, "g": {"origin": "estimated", "text": "g"}},
    "places": "4 numa > core > pu",
    "memories": [{"nodes": "0-3", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [
      {"common": "numa", "distance": 10, "latency": ["100 ns", "s"], "read": ["20 GB/s", "s"],
       "write": ["10 GB/s", "s"]},
      {"common": "machine", "distance": 20, "latency": ["200 ns", "s"], "read": ["5 GB/s", "s"],
       "write": ["4 GB/s", "s"]}])" +
                                more + "}",
                            "square.json");
}

std::string error_of(const std::string& more) {
  try {
    (void)square(more);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    return error.what();
  }
  return "no error";
}

TEST(MachineHardware, IsReadAndWrittenToTheLastBit) {
  const Machine machine = square(R"(,
    "hardware": {"clock": ["2.4 GHz", "s"], "window": ["168", "g", "100", "200.5"],
                 "l3_latency": ["0.1 ns", "s"]},
    "wires": [{"between": ["0-3", "0-3"], "rate": ["5 GB/s", "s"]},
              {"between": ["r0", "0,1"], "rate": ["7.5 GB/s", "g"]}])");
  EXPECT_EQ(machine.hardware().wires.size(), 6U + 2U);
  EXPECT_DOUBLE_EQ(machine.hardware()[HardwareFigure::clock].value, 2.4);
  EXPECT_DOUBLE_EQ(machine.hardware()[HardwareFigure::window].high, 200.5);
  // Figures that the file lacks have the table's default value, with a range.
  const RangedFigure unknown = machine.hardware()[HardwareFigure::lines_in_flight];
  EXPECT_LT(unknown.low, unknown.high);
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
}

TEST(MachineHardware, MistakesAreNamedWithTheirPlace) {
  const auto expect = [](const std::string& more, const std::string& words) {
    EXPECT_NE(error_of(more).find(words), std::string::npos) << error_of(more);
  };
  expect(R"(, "hardware": {"clok": ["2 GHz", "s"]})", "/hardware/clok: 'clok' is no figure");
  expect(R"(, "hardware": {"clock": ["2 MHz", "s"]})", "'2 MHz' isn't a figure of this kind");
  expect(R"(, "hardware": {"clock": ["nan GHz", "s"]})", "isn't a figure");
  expect(R"(, "hardware": {"clock": ["0 GHz", "s"]})", "out of range");
  expect(R"(, "hardware": {"clock": ["2 GHz", "g"]})", "an estimate without a range");
  expect(R"(, "hardware": {"clock": ["2 GHz", "g", "3 GHz", "4 GHz"]})", "isn't between");
  expect(R"(, "hardware": {"clock": ["2 GHz", "x"]})", "unknown source 'x'");
  expect(R"(, "wires": [{"between": ["0", "1"], "rate": ["5 GB/s", "s"]}])",
         "/wires: wires: no wires lead from node");
  expect(R"(, "wires": [{"between": ["0-3", "r"], "rate": ["4 GB/s", "s"]}])",
         "carries 4 GB/s, less than node");
  expect(R"(, "wires": [{"between": ["0-3", "7"], "rate": ["5 GB/s", "s"]}])",
         "node 7, which isn't there");
  expect(R"(, "wires": [{"between": ["0", "0"], "rate": ["5 GB/s", "s"]}])", "no wire");
  expect(R"(, "wires": [{"between": ["0", "1"], "rate": ["5 GB/s", "s"]},
             {"between": ["1", "0"], "rate": ["5 GB/s", "s"]}])",
         "a second wire between 1 and 0");
  expect(R"(, "wires": [{"between": ["0", "a b"], "rate": ["5 GB/s", "s"]}])",
         "neither nodes nor routers");
}

TEST(MachineHardware, RoutesAreTheShortestAndOfTheseTheWidest) {
  // A ring whose wires alternate between two rates.
  const Machine machine = square(R"(,
    "wires": [{"between": ["0", "3"], "rate": ["6 GB/s", "s"]},
              {"between": ["3", "2"], "rate": ["6 GB/s", "s"]},
              {"between": ["0", "1"], "rate": ["9 GB/s", "s"]},
              {"between": ["1", "2"], "rate": ["9 GB/s", "s"]}])");
  const detail::Routes routes(machine.data());
  const auto route = routes.find(NodeId{2}, NodeId{0});
  ASSERT_TRUE(route);
  ASSERT_EQ(route->size(), 2U);
  EXPECT_EQ((*route)[0].wire, 3U);
  EXPECT_FALSE((*route)[0].forward);  // the file defines the wire from 1 to 2
  EXPECT_EQ((*route)[1].wire, 2U);
  EXPECT_TRUE(routes.find(NodeId{1}, NodeId{1})->empty());
}

TEST(MachineHardware, RoutesAreAsLongAsFloydAndWarshallSay) {
  for (const std::string& preset : Machine::preset_names()) {
    if (preset == "altix-3700") continue;  // too many nodes for the cubic algorithm
    const Machine machine = Machine::open(preset);
    const detail::Routes routes(machine.data());
    EXPECT_EQ(routes.are_known(), machine.memories().size() > 1) << preset;
    std::map<std::string, std::map<std::string, std::size_t>> hops;
    std::vector<std::string> ends;
    for (const Wire& wire : routes.wires()) {
      hops[wire.a][wire.b] = hops[wire.b][wire.a] = 1;
      for (const std::string& end : {wire.a, wire.b})
        if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
    }
    for (const std::string& via : ends)
      for (const std::string& from : ends)
        for (const std::string& to : ends) {
          if (!hops[from].contains(via) || !hops[via].contains(to) || from == to) continue;
          const std::size_t sum = hops[from][via] + hops[via][to];
          if (!hops[from].contains(to) || hops[from][to] > sum) hops[from][to] = sum;
        }
    for (const NodeId from : machine.initiators())
      for (const MemoryNode& memory : machine.memories()) {
        if (memory.id == from) continue;
        EXPECT_EQ(routes.find(memory.id, from)->size(),
                  hops[std::to_string(memory.id.value)][std::to_string(from.value)])
            << preset;
      }
  }
}

TEST(MachineHardware, ThePresetsTellEverything) {
  for (const std::string& preset : Machine::preset_names()) {
    const Machine machine = Machine::open(preset);
    EXPECT_EQ(machine.hardware().wires.empty(), machine.memories().size() == 1) << preset;
    for (const HardwareRow& row : hardware_figures()) {
      const bool optional =
          row.figure == HardwareFigure::l2_width || row.figure == HardwareFigure::in_order ||
          row.figure == HardwareFigure::walk_latency ||  // 0 outside virtual machines
          row.figure == HardwareFigure::near_take || row.figure == HardwareFigure::near_hold ||
          row.figure == HardwareFigure::loaded_latency ||
          row.figure >= HardwareFigure::local_latency ||  // bounds of the links' deviations
          (machine.caches().l3_bytes == 0 &&
           (row.figure == HardwareFigure::l3_latency || row.figure == HardwareFigure::l3_line ||
            row.figure == HardwareFigure::l3_ways || row.figure == HardwareFigure::l3_inclusive));
      EXPECT_TRUE(optional || machine.hardware().figures.contains(row.figure))
          << preset << " " << row.name;
    }
  }
}

}  // namespace
}  // namespace Atoll
