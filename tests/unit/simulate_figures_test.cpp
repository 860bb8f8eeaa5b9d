// Each figure of a machine file affects the model of the machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "atoll/machine/machine.hpp"
#include "simulate/model.hpp"

namespace Atoll::simulate {
namespace {

/// Returns a machine with two nodes and caches of three levels.
Machine machine_of(const std::string& hardware, const std::string& caches = "") {
  return Machine::from_json(fmt::format(R"({{
    "atoll_machine": 1, "name": "pair",
    "sources": {{"s": {{"origin": "user", "text": "s"}}}},
    "places": "2 numa > l3 4 MiB > 2 l2 256 KiB > l1 32 KiB > core > pu",
    "memories": [{{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}}],
    "links": [
      {{"common": "numa", "distance": 10, "latency": ["100 ns", "s"], "read": ["20 GB/s", "s"],
        "write": ["10 GB/s", "s"]}},
      {{"common": "machine", "distance": 20, "latency": ["200 ns", "s"], "read": ["5 GB/s", "s"],
        "write": ["4 GB/s", "s"]}}],
    {} "hardware": {{{}}}}})",
                                        caches, hardware),
                            "pair.json");
}

struct Row {
  std::string figure, value;
  std::function<double(const Shape&, const Timing&)> in_model;
  double expected;
};

template <typename Member>
auto of_timing(Member CoreTiming::*member) {
  return
      [=](const Shape&, const Timing& timing) { return static_cast<double>(timing.core.*member); };
}
template <typename Member>
auto of_timing(Member MachineTiming::*member) {
  return [=](const Shape&, const Timing& timing) {
    return static_cast<double>(timing.machine.*member);
  };
}
template <typename Member>
auto of_shape(Member member) {
  return [=](const Shape& shape, const Timing&) { return static_cast<double>(shape.*member); };
}
auto ways_of(CacheShape Shape::*cache) {
  return
      [=](const Shape& shape, const Timing&) { return static_cast<double>((shape.*cache).ways); };
}
using Tlbs = std::array<CacheShape, kPageClasses>;
auto entries_of(Tlbs Shape::*tlb, std::size_t pages) {
  return [=](const Shape& shape, const Timing&) {
    return static_cast<double>((shape.*tlb)[pages].entries);
  };
}
/// Returns the number of ways, which must be equal for all page sizes.
auto ways_of(Tlbs Shape::*tlb) {
  return [=](const Shape& shape, const Timing&) {
    const Tlbs& all = shape.*tlb;
    const bool equal = all[0].ways == all[1].ways && all[0].ways == all[2].ways;
    return equal ? static_cast<double>(all[0].ways) : -1.0;
  };
}
auto page_fault(std::size_t pages) {
  return [=](const Shape&, const Timing& timing) {
    return static_cast<double>(timing.machine.page_fault[pages]);
  };
}

/// For each figure, the member of the model that it sets. A cycle takes 500 ps.
std::vector<Row> rows() {
  return {
      {"width", "5", of_timing(&CoreTiming::instruction), 100},
      {"l2_width", "2", of_timing(&CoreTiming::l2_instruction), 250},
      {"window", "77", of_timing(&CoreTiming::window), 77},
      {"in_order", "1", of_timing(&CoreTiming::in_order), 1},
      {"lines_in_flight", "7", of_timing(&CoreTiming::lines), 7},
      {"l2_lines_in_flight", "9", of_timing(&CoreTiming::l2_lines), 9},
      {"prefetch_lines", "11", of_timing(&CoreTiming::prefetch_lines), 11},
      {"store_buffer", "13", of_timing(&CoreTiming::stores), 13},
      {"l1_fill", "3 cycles", of_timing(&CoreTiming::l1_fill), 1'500},
      {"l2_fill", "5 cycles", of_timing(&CoreTiming::l2_fill), 2'500},
      {"l3_line", "2 ns", of_timing(&MachineTiming::l3_line), 2'000},
      {"l1_latency", "6 cycles", of_timing(&CoreTiming::l1), 3'000},
      {"l1_ways", "2", ways_of(&Shape::l1), 2},
      {"l2_latency", "21 cycles", of_timing(&CoreTiming::l2), 10'500},
      {"l2_ways", "4", ways_of(&Shape::l2), 4},
      {"l3_latency", "29 ns", of_timing(&MachineTiming::l3), 29'000},
      {"l3_ways", "32", ways_of(&Shape::l3), 32},
      {"l3_inclusive", "0", of_shape(&Shape::l3_is_inclusive), 0},
      {"near_transfer", "51 ns", of_timing(&MachineTiming::near_cache), 51'000},
      {"near_take", "53 ns", of_timing(&MachineTiming::near_take), 53'000},
      {"near_hold", "57 ns", of_timing(&MachineTiming::near_hold), 57'000},
      {"far_transfer", "59 ns", of_timing(&MachineTiming::far_cache), 59'000},
      {"home_busy", "19 ns", of_timing(&MachineTiming::home_busy), 19'000},
      {"atomic", "14 cycles", of_timing(&CoreTiming::atomic), 7'000},
      {"division", "30 cycles", of_timing(&CoreTiming::division), 15'000},
      {"chain_step", "5 cycles", of_timing(&CoreTiming::chain_step), 2'500},
      {"tlb1_4k", "96", entries_of(&Shape::tlb1, 0), 96},
      {"tlb1_2m", "48", entries_of(&Shape::tlb1, 1), 48},
      {"tlb1_1g", "12", entries_of(&Shape::tlb1, 2), 12},
      {"tlb1_ways", "6", ways_of(&Shape::tlb1), 6},
      {"tlb2_4k", "2048", entries_of(&Shape::tlb2, 0), 2048},
      {"tlb2_2m", "768", entries_of(&Shape::tlb2, 1), 768},
      {"tlb2_1g", "24", entries_of(&Shape::tlb2, 2), 24},
      {"tlb2_ways", "12", ways_of(&Shape::tlb2), 12},
      {"tlb2_latency", "9 cycles", of_timing(&CoreTiming::tlb2), 4'500},
      {"walkers", "2", of_timing(&CoreTiming::walkers), 2},
      {"walk_cache", "40", of_shape(&Shape::walk_cache), 40},
      {"walk_latency", "100 cycles", of_timing(&CoreTiming::walk), 50'000},
      {"prefetch_streams", "8", of_shape(&Shape::prefetch_streams), 8},
      {"prefetch_distance", "24", of_shape(&Shape::prefetch_distance), 24},
      {"prefetch_crosses", "2", of_shape(&Shape::prefetch_crosses), 2},
      {"open_rows", "128", of_shape(&Shape::open_rows), 128},
      {"closed_row_share", "0.5",
       [](const Shape&, const Timing& timing) {
         return static_cast<double>(timing.machine.read_closed[0]);
       },
       6'400},  // at 20 GB/s, a line takes 3,200 ps
      {"page_fault_4k", "701 ns", page_fault(0), 701'000},
      {"page_fault_2m", "7001 ns", page_fault(1), 7'001'000},
      {"page_fault_1g", "70001 ns", page_fault(2), 70'001'000},
      {"local_latency", "1.1",
       [](const Shape&, const Timing& timing) {
         return static_cast<double>(timing.machine.latency[0]);
       },
       110'000},
      {"remote_latency", "1.2",
       [](const Shape&, const Timing& timing) {
         return static_cast<double>(timing.machine.latency[1]);
       },
       240'000},
      {"memory_bandwidth", "0.8",
       [](const Shape&, const Timing& timing) {
         return static_cast<double>(timing.machine.read_open[0]);
       },
       4'000},
      {"wire_bandwidth", "0.5",
       [](const Shape&, const Timing& timing) {
         return static_cast<double>(timing.machine.wire[0]);
       },
       25'600},  // at 5 GB/s, a line takes 12,800 ps
  };
}

double in_model(const Machine& machine, const Row& row) {
  return row.in_model(model_of(machine).shape, timing_of(machine, figures_of(machine)));
}

TEST(SimulateFigures, EachFigureOfAFileReachesTheModel) {
  std::set<std::string> known{"clock", "loaded_latency"};  // the model doesn't use loaded_latency
  for (const Row& row : rows()) {
    known.insert(row.figure);
    const std::string clock = R"("clock": ["2 GHz", "s"])";
    EXPECT_NEAR(
        in_model(machine_of(fmt::format(R"({}, "{}": ["{}", "s"])", clock, row.figure, row.value)),
                 row),
        row.expected, 1e-9)
        << row.figure;
    EXPECT_GT(std::abs(in_model(machine_of(clock), row) - row.expected), 1e-9) << row.figure;
  }
  for (const HardwareRow& row : hardware_figures())
    EXPECT_TRUE(known.contains(std::string(row.name))) << row.name;
}

TEST(SimulateFigures, CyclesFollowTheClock) {
  const auto l1 = [](const std::string& clock) {
    const Machine machine = machine_of(fmt::format(R"("clock": ["{}", "s"])", clock));
    return timing_of(machine, figures_of(machine)).core.l1;
  };
  EXPECT_EQ(l1("1 GHz"), 4'000);
  EXPECT_EQ(l1("4 GHz"), 1'000);
}

}  // namespace
}  // namespace Atoll::simulate
