// Memory-side caches: in machine files, from hwloc, and as shown to simulated programs.
#include <cstdlib>
#include <filesystem>

#include "atoll/base/units.hpp"
#include "atoll/machine/thread_places.hpp"
#include "machine_support.hpp"
#include "simulate/machine_view.hpp"
#include "simulate/model.hpp"

namespace Atoll {
namespace {

/// A machine with two nodes; `cache` is the entry of one cache.
std::string file_with(const std::string& cache) {
  return R"({
    "atoll_machine": 1, "name": "sides",
    "sources": {"s": {"origin": "user", "text": "s"}, "g": {"origin": "estimated", "text": "g"}},
    "places": "2 numa > core > pu",
    "memories": [{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [
      {"common": "numa", "distance": 10, "latency": ["100 ns", "s"], "read": ["20 GB/s", "s"],
       "write": ["10 GB/s", "s"]},
      {"common": "machine", "distance": 20, "latency": ["200 ns", "s"], "read": ["5 GB/s", "s"],
       "write": ["4 GB/s", "s"]}],
    "memory_side_caches": [)" +
         cache + "]}";
}
const std::string kCache =
    R"({"nodes": "0-1", "size": ["64 MiB", "s"], "ways": 2, "line": "256 B",
        "latency": ["60 ns", "g", "50 ns", "90 ns"], "check": ["0 ns", "s"],
        "bandwidth": ["100 GB/s", "s"]})";

TEST(MachineMemorySide, IsReadAndWrittenToTheLastBit) {
  const Machine machine = Machine::from_json(file_with(kCache), "sides.json");
  const auto& caches = machine.hardware().memory_side_caches;
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches[1].memory, node(1));
  EXPECT_EQ(caches[1].bytes, 64 * kMiB);
  EXPECT_EQ(caches[1].ways, 2U);
  EXPECT_EQ(caches[1].line_bytes, 256U);
  EXPECT_EQ(caches[1].latency_ns.high, 90);
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
  // Caches that differ have separate entries in the file.
  Machine::Data other = machine.data();
  other.hardware.memory_side_caches[0].ways = 4;
  const Machine differing(other, "differing");
  EXPECT_EQ(Machine::from_json(differing.to_json(), "again"), differing);
}

TEST(MachineMemorySide, IsSimulatedAsItIsDescribed) {
  const Machine machine =
      Machine::from_json(file_with(replaced(kCache, R"("0-1")", R"("1")")), "sides.json");
  const simulate::Model model = simulate::model_of(machine);
  const simulate::Timing timing = simulate::timing_of(machine, simulate::figures_of(machine));
  ASSERT_EQ(model.shape.memory_side.size(), 2U);
  EXPECT_EQ(model.shape.memory_side[0].cache.entries, 0U);
  EXPECT_EQ(model.shape.memory_side[1].cache.entries, 64 * kMiB / 256);
  EXPECT_EQ(model.shape.memory_side[1].line_bits, 2);
  EXPECT_EQ(timing.machine.memory_side[1].latency, 60'000);
  EXPECT_EQ(timing.machine.memory_side[1].line, 640);
  EXPECT_EQ(timing.machine.memory_side[1].fill_lines, 4U);
  std::vector<std::string> moved;
  for (const simulate::VariableFigure& knob : simulate::knobs_of(machine))
    if (knob.name.find("memory-side") != std::string::npos) moved.push_back(knob.name);
  EXPECT_EQ(moved, std::vector<std::string>{"latency of memory-side caches"});
}

TEST(MachineMemorySide, MistakesAreNamedWithTheirPlace) {
  const auto expect = [](std::string_view from, std::string_view to, const std::string& words) {
    const std::string line = input_error([&] {
      static_cast<void>(Machine::from_json(file_with(replaced(kCache, from, to)), "sides.json"));
    });
    EXPECT_NE(line.find("sides.json: /memory_side_caches"), std::string::npos) << line;
    EXPECT_NE(line.find(words), std::string::npos) << line;
  };
  expect("\"0-1\"", "\"7\"", "of memory 7: there is no such memory");
  expect("64 MiB", "0 B", "a size of 0 B");
  expect("64 MiB", "2 GiB", "larger than the memory");
  expect("64 MiB", "65 KiB", "no whole number of sets");
  expect("64 MiB", "64 KiB", "no whole number of sets, or less than 256");
  expect("64 MiB", "x", "'x'");
  expect("\"ways\": 2", "\"ways\": 0", "0 ways");
  expect("\"ways\": 2", "\"ways\": 2000", "2000 is not a whole number");
  expect("256 B", "32 B", "a line of 32 bytes");
  expect("256 B", "96 B", "a line of 96 bytes");
  expect("256 B", "8192 B", "a line of 8192 bytes");
  expect(", \"50 ns\", \"90 ns\"", "", "an estimate without a range");
  expect("\"50 ns\"", "\"70 ns\"", "isn't between");
  expect("60 ns", "60", "'60' isn't a figure");
  expect("60 ns", "0 ns", "out of range");
  expect("100 GB/s", "0 GB/s", "out of range");
  expect("[\"0 ns\", \"s\"]", "[\"0 ns\", \"x\"]", "unknown source 'x'");
  expect("\"check\"", "\"chek\"", "unknown key 'chek'");
  EXPECT_NE(input_error([] {
              static_cast<void>(Machine::from_json(file_with(kCache + "," + kCache), "sides.json"));
            }).find("a second cache in front of memory 0"),
            std::string::npos);
}

TEST(MachineMemorySide, KnightsLandingInCacheMode) {
  const Machine machine = Machine::open("knl-7210-cache");
  ASSERT_EQ(machine.hardware().memory_side_caches.size(), 1U);
  const MemorySideCache& cache = machine.hardware().memory_side_caches.front();
  EXPECT_EQ(cache.bytes, 16 * kGiB);
  EXPECT_EQ(cache.ways, 1U);
  EXPECT_EQ(cache.bytes_per_second.value, 291e9);  // [out-of-core-stencils §5.2]
  EXPECT_EQ(cache.bytes_per_second.source.origin, Origin::paper);
  // Apart from the cache, it is the machine in flat mode without its second memory.
  const Machine flat = Machine::open("knl-7210");
  EXPECT_EQ(machine.root().children.front().children.front().children,
            flat.root().children.front().children.front().children);
  EXPECT_EQ(machine.link(node(0), node(0)).read_bytes_per_second.value,
            flat.link(node(0), node(0)).read_bytes_per_second.value);
  EXPECT_EQ(machine.hardware().figures, flat.hardware().figures);
}

/// For a simulated program, /sys has the same files as on the described system. hwloc finds the
/// cache there, and missing figures are estimated.
TEST(MachineMemorySide, ProgramsAndHwlocSeeIt) {
  const Machine machine = Machine::from_json(
      file_with(replaced(replaced(kCache, R"("0-1")", R"("1")"), R"("ways": 2)", R"("ways": 1)")),
      "sides.json");
  const simulate::Model model = simulate::model_of(machine);
  const ThreadPlaces places = spread_places(machine, 2);
  const simulate::MachineView view(machine, model, places, {places[0].pu, places[1].pu});
  for (const auto& [name, value] : view.environment())
    if (name == "HWLOC_FSROOT" || name == "HWLOC_COMPONENTS")
      ::setenv(name.c_str(), value.c_str(), 1);
  const Machine seen = Machine::this_computer();
  ::unsetenv("HWLOC_FSROOT");
  ::unsetenv("HWLOC_COMPONENTS");
  EXPECT_EQ(seen.memories().size(), 2U);
  ASSERT_EQ(seen.hardware().memory_side_caches.size(), 1U);
  const MemorySideCache& cache = seen.hardware().memory_side_caches.front();
  EXPECT_EQ(cache.memory, node(1));
  EXPECT_EQ(cache.bytes, 64 * kMiB);
  EXPECT_EQ(cache.line_bytes, 256U);
  EXPECT_EQ(cache.ways, 1U);
  EXPECT_EQ(cache.source.origin, Origin::firmware);
  EXPECT_EQ(cache.latency_ns.source.origin, Origin::estimated);
  EXPECT_LT(cache.latency_ns.low, cache.latency_ns.high);
  EXPECT_EQ(Machine::from_json(seen.to_json(), "again"), seen);
}

}  // namespace
}  // namespace Atoll
