// Hardware figures computed from recorded measurements of a known machine, and from a short
// measurement of this one.
#include "atoll/measure/hardware.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "atoll/base/units.hpp"
#include "measure/hardware_fit.hpp"

namespace Atoll::measure {
namespace {

using enum HardwareFigure;

/// Measurements in a virtual machine on a Zen 4 EPYC, while other programs used its level 3 cache.
/// Known figures: 72 entries in the first TLB, 3072 in the second, which takes 7 cycles; 4 cycles
/// for level 1, 14 for level 2; a window of 320.
HardwareReadings recorded() {
  HardwareReadings readings;
  readings.l1_bytes = 32 * kKiB;
  readings.l2_bytes = kMiB;
  readings.l3_bytes = 32 * kMiB;
  readings.clock_ghz = 3.69448;
  readings.instructions_a_cycle = 3.9999;
  readings.chase_2m = {{8192, 1.08},     {12288, 1.08},    {16384, 1.08},   {24576, 1.08},
                       {32768, 1.12},    {49152, 3.67},    {65536, 3.8},    {98304, 3.8},
                       {131072, 3.8},    {196608, 3.8},    {262144, 3.8},   {393216, 4.34},
                       {524288, 4.73},   {786432, 5.37},   {1048576, 7.89}, {1572864, 11.4},
                       {2097152, 12.6},  {3145728, 14},    {4194304, 14.7}, {6291456, 45.1},
                       {8388608, 101},   {12582912, 121},  {16777216, 132}, {25165824, 136},
                       {33554432, 137},  {50331648, 142},  {67108864, 143}, {100663296, 146},
                       {134217728, 145}, {201326592, 157}, {268435456, 153}};
  readings.page_chase = {{16, 1.08},   {32, 1.08},   {48, 1.08},   {64, 1.08},   {96, 2.98},
                         {128, 2.98},  {192, 2.98},  {256, 2.98},  {384, 2.98},  {512, 2.99},
                         {768, 5.96},  {1024, 5.95}, {1536, 5.96}, {2048, 5.96}, {3072, 8.65},
                         {4096, 18.7}, {6144, 24.2}, {8192, 33.2}};
  // The value at 192 was disturbed.
  readings.pairs = {{16, 152},  {64, 151},  {128, 156}, {192, 913}, {256, 176}, {320, 328},
                    {384, 329}, {448, 365}, {512, 368}, {640, 408}, {768, 419}};
  readings.gather_l3_ns = 2.06575;
  readings.sweep_l2_ns = 0.543;
  readings.sweep_l3_ns = 0.941;
  readings.sweep_l3_all_ns = 0.96;
  readings.l3_threads = 2;
  readings.stream_2m_ns = 1.722;
  readings.stream_4k_ns = 2.131;
  readings.pieces_2m_ns = 6.406;
  readings.streams = {{8, 1.92},  {12, 1.51}, {16, 1.47}, {24, 3.27},
                      {32, 5.38}, {48, 5.99}, {64, 6.33}, {96, 6.3}};
  readings.atomic_ns = 1.7;
  readings.contended_ns = 7.54;
  readings.operations_a_stay = 29.8;
  readings.gather_memory_ns = 9.17696;
  readings.chase_4k = {{268435456, 225}};
  readings.gather_4k_ns = 11.4;
  readings.handoff_ns = 153.132;
  readings.fault_4k_ns = 3550.88;
  readings.fault_2m_ns = 167434;
  readings.stream_bytes_per_second = 1.626e10;
  return readings;
}

TEST(MeasureHardware, FiguresOfAKnownProcessor) {
  const std::map<HardwareFigure, RangedFigure> figures = figures_from(recorded());
  const auto expect = [&](HardwareFigure figure, double value, double tolerance) {
    ASSERT_TRUE(figures.contains(figure)) << row_of(figure).name;
    const RangedFigure& found = figures.at(figure);
    EXPECT_NEAR(found.value, value, tolerance) << row_of(figure).name;
    EXPECT_EQ(found.low, found.value);
    EXPECT_EQ(found.high, found.value);
    EXPECT_EQ(found.source.origin, Origin::measured);
  };
  expect(clock, 3.69, 0.01);
  expect(width, 4, 0.01);
  expect(l1_latency, 4, 0.1);
  expect(l2_latency, 14, 0.2);
  expect(l3_latency, 14.6, 0.3);
  expect(tlb1_4k, 72, 9);
  expect(tlb2_4k, 3072, 600);
  expect(tlb2_latency, 7, 0.2);
  expect(window, 320, 60);
  expect(lines_in_flight, 153 / 9.17696, 0.1);
  expect(l2_lines_in_flight, 153 / 9.17696, 0.1);
  expect(l1_fill, 2, 0.01);
  expect(l2_fill, 3.5, 0.01);
  expect(l3_line, 0.48, 0.001);
  expect(prefetch_crosses, 2, 0);
  expect(prefetch_distance, std::ceil(153 / 1.722), 0);
  expect(prefetch_streams, 26, 1);
  expect(atomic, 1.7 * 3.69448 - 1, 0.05);
  // In 225 ns each of the two threads holds the counter once, and does 30 additions.
  expect(near_hold, 50.7, 0.1);
  expect(near_take, 29.8 * 7.54 / 2 - 50.7, 0.1);
  expect(walkers, 6, 0);
  expect(prefetch_lines, 16.26 * 153 / 64, 0.1);
  expect(near_transfer, 153.132 / 2, 0.1);
  expect(page_fault_4k, 3551, 1);
  EXPECT_GT(figures.at(walk_latency).value, 20);
  EXPECT_NEAR(usable_l3_bytes(recorded()).value(), 7.5 * kMiB, 1.0 * kMiB);
}

TEST(MeasureHardware, StreamsEndWhereTheyBecomeSlow) {
  HardwareReadings readings = recorded();
  readings.stream_4k_ns = 6;  // crossing 4 KiB pages is as slow as random pages
  EXPECT_EQ(figures_from(readings).at(prefetch_crosses).value, 1);
  readings.stream_2m_ns = 6;  // in 2 MiB pages, crossing is as slow as in 4 KiB pages
  const auto figures = figures_from(readings);
  EXPECT_EQ(figures.at(prefetch_crosses).value, 0);
  EXPECT_FALSE(figures.contains(prefetch_streams));
}

TEST(MeasureHardware, NobodyKeepsALineThatMovesWithEachOperation) {
  HardwareReadings readings = recorded();
  readings.operations_a_stay = 1;
  EXPECT_FALSE(figures_from(readings).contains(near_hold));
  EXPECT_TRUE(figures_from(readings).contains(atomic));
}

TEST(MeasureHardware, WhatDisturbedOneOfTwoReadingsIsLeftOut) {
  const HardwareReadings good = recorded();
  HardwareReadings disturbed = good;
  disturbed.gather_4k_ns *= 1.6;
  disturbed.chase_4k.clear();  // no 4 KiB pages were provided
  for (Reading& reading : disturbed.page_chase) reading.ns *= 2;
  disturbed.clock_ghz /= 2;
  disturbed.contended_ns = good.contended_ns + 3;
  disturbed.operations_a_stay = 2;
  for (const HardwareReadings& both : {shorter_of(good, disturbed), shorter_of(disturbed, good)}) {
    EXPECT_EQ(both.gather_4k_ns, good.gather_4k_ns);
    EXPECT_EQ(both.chase_4k.size(), good.chase_4k.size());
    EXPECT_EQ(both.clock_ghz, good.clock_ghz);
    EXPECT_EQ(both.contended_ns, good.contended_ns);
    EXPECT_EQ(both.operations_a_stay, good.operations_a_stay);
    for (std::size_t i = 0; i < good.page_chase.size(); ++i)
      EXPECT_EQ(both.page_chase[i].ns, good.page_chase[i].ns);
  }
}

TEST(MeasureHardware, NoFigureWhereNoStepStandsOut) {
  HardwareReadings readings = recorded();
  for (Reading& reading : readings.page_chase) reading.ns = 1.1;
  for (Reading& reading : readings.pairs) reading.ns = 150;
  readings.handoff_ns = readings.fault_2m_ns = 0;
  readings.l3_bytes = 0;
  const std::map<HardwareFigure, RangedFigure> figures = figures_from(readings);
  for (const HardwareFigure figure : {tlb1_4k, tlb2_4k, tlb2_latency, walk_latency, window,
                                      near_transfer, page_fault_2m, l3_latency})
    EXPECT_FALSE(figures.contains(figure)) << row_of(figure).name;
  EXPECT_FALSE(usable_l3_bytes(readings));
  EXPECT_TRUE(figures.contains(clock));
}

TEST(MeasureHardware, AKneeLiesBetweenReadingsByTheLogarithm) {
  const Curve curve{{1, 0}, {4, 10}, {16, 20}};
  EXPECT_DOUBLE_EQ(knee(curve, 0, 10).value(), 2);
  EXPECT_DOUBLE_EQ(knee(curve, 0, 30).value(), 8);
  EXPECT_FALSE(knee(curve, 0, 100));
  EXPECT_EQ(plateau(curve, 2, 20).value(), 20);
  EXPECT_FALSE(plateau(curve, 5, 6));
  const Curve disturbed = ascending({{1, 5}, {2, 90}, {4, 7}, {8, 9}});
  EXPECT_EQ(disturbed[1].ns, 7);
  EXPECT_EQ(disturbed[0].ns, 5);
}

// Clocks, latencies and sizes are in their usual order. This holds even if other programs run.
TEST(MeasureHardware, ThisComputerInAShortTrial) {
  const Machine before = Machine::this_computer();
  const HardwareResult result =
      measure_hardware(before, {.most_bytes = 16 * kMiB, .seconds_a_reading = 0.001});
  const Hardware& hardware = result.machine.hardware();
  for (const HardwareFigure figure : {clock, width, l1_latency, l2_latency, page_fault_4k}) {
    ASSERT_TRUE(hardware.figures.contains(figure)) << row_of(figure).name;
    EXPECT_EQ(hardware[figure].source.origin, Origin::measured);
  }
  EXPECT_GT(hardware[clock].value, 0.3);
  EXPECT_LT(hardware[clock].value, 8);
  EXPECT_GT(hardware[l1_latency].value, 1);
  EXPECT_GT(hardware[l2_latency].value, hardware[l1_latency].value);
  EXPECT_EQ(Machine::from_json(result.machine.to_json(), "measured.json"), result.machine);
}

}  // namespace
}  // namespace Atoll::measure
