// Small programs whose time a formula tells, within 2 %.
#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kLines = std::uint64_t{1} << 22;  // 256 MiB: nothing stays in the caches
constexpr std::uint64_t kApart = std::uint64_t{1} << 40;  // between threads' memory

void expect_within(double value, double expected) {
  EXPECT_NEAR(value, expected, 0.02 * expected);
}

MadeProgram::Next chase(std::uint64_t count, std::uint64_t where = 0) {
  Op like;
  like.depends_on = 1;
  return accesses(count, [=](std::uint64_t i) { return where + random_line(i, kLines, 1); }, like);
}

MadeProgram::Next gather(std::uint64_t count, std::uint64_t where = 0) {
  return accesses(count, [=](std::uint64_t i) { return where + random_line(i, kLines, 1); });
}

/// Nothing is ever found in the caches: a test of times needs no luck.
SmallMachine without_caches(std::uint32_t cores_of_node) {
  SmallMachine machine(cores_of_node);
  machine.shape.l2 = {256, 8};
  machine.shape.l1 = {64, 8};
  return machine;
}

TEST(SimulateClosedForms, AChaseTakesTheLatency) {
  for (const bool remote : {false, true}) {
    SmallMachine machine = without_caches(1);
    MadeProgram program;
    program.threads = {chase(100'000)};
    if (remote) program.home = [](std::uint32_t, std::uint64_t) { return std::uint16_t{1}; };
    const Ran ran = run(machine, program);
    expect_within(ran.ns / 100'000, remote ? 180 : 100);
  }
}

TEST(SimulateClosedForms, AGatherHasAsManyLinesInFlightAsThereAreBuffers) {
  for (const std::uint32_t lines : {1U, 2U, 4U, 8U, 10U, 16U, 31U}) {
    SmallMachine machine = without_caches(1);
    machine.timing.lines = lines;
    MadeProgram program;
    program.threads = {gather(200'000)};
    const Ran ran = run(machine, program);
    expect_within(ran.ns / 200'000, std::max(100.0 / lines, 3.2));
  }
}

TEST(SimulateClosedForms, AWindowLimitsTheLinesInFlight) {
  SmallMachine machine = without_caches(1);
  machine.timing.lines = 32;
  machine.timing.window = 40;
  MadeProgram program;
  Op like;
  like.instructions = 9;  // so four loads fit in the window
  program.threads = {
      accesses(200'000, [](std::uint64_t i) { return random_line(i, kLines, 1); }, like)};
  expect_within(run(machine, program).ns / 200'000, 100.0 / 4);
}

TEST(SimulateClosedForms, AStreamTakesWhatTheControllerGives) {
  SmallMachine machine(1);
  machine.shape.prefetch_streams = 16;
  machine.timing.prefetch_lines = 64;
  machine.timing.lines = 40;
  machine.timing.window = 512;
  MadeProgram program;
  program.threads = {accesses(800'000, [](std::uint64_t i) { return i * 8; })};
  expect_within(run(machine, program).ns / 100'000, 3.2);
}

TEST(SimulateClosedForms, ThreadsShareAController) {
  for (const std::uint32_t threads : {2U, 8U, 32U}) {
    SmallMachine machine = without_caches(32);
    machine.timing.lines = 2;
    MadeProgram program;
    for (std::uint32_t i = 0; i < threads; ++i)
      program.threads.push_back(gather(40'000, i * kApart));
    const Ran ran = run(machine, program);
    expect_within(ran.ns / 40'000, std::max(50.0, 3.2 * threads));
    EXPECT_LE(ran.controllers[0].busy, ran.result.elapsed);
  }
}

TEST(SimulateClosedForms, ALinkLimitsTwoNodes) {
  SmallMachine machine = without_caches(16);
  MadeProgram program;
  for (std::uint32_t i = 0; i < 16; ++i) program.threads.push_back(gather(20'000, i * kApart));
  program.home = [](std::uint32_t, std::uint64_t) { return std::uint16_t{1}; };
  const Ran ran = run(machine, program);
  expect_within(ran.ns / 20'000, 16 * 6.4);
  EXPECT_EQ(ran.wires[0 * 2 + 1].bytes, 0U);  // nothing went the other way
}

TEST(SimulateClosedForms, TwoFlowsShareALinkOfTwoHops) {
  // Three nodes in a row: what nodes 0 and 1 read of memory 2 crosses the wire from 2 to 1.
  SmallMachine machine(8, 3);
  machine.shape.l2 = {256, 8};
  machine.shape.l1 = {64, 8};
  machine.timing.wire = {6'400, 6'400};  // 2 -> 1, 1 -> 0
  for (auto* const routes :
       {&machine.timing.from_memory, &machine.timing.to_memory, &machine.timing.from_node})
    for (auto& route : *routes) route.clear();
  machine.timing.from_memory[0 * 3 + 2] = {0, 1};
  machine.timing.from_memory[1 * 3 + 2] = {0};
  MadeProgram program;
  for (std::uint32_t i = 0; i < 16; ++i) program.threads.push_back(gather(20'000, i * kApart));
  program.home = [](std::uint32_t, std::uint64_t) { return std::uint16_t{2}; };
  const Ran both = run(machine, program);
  expect_within(both.ns / 20'000, 16 * 6.4);
  program.threads.clear();
  for (std::uint32_t i = 0; i < 8; ++i) program.threads.push_back(gather(20'000, i * kApart));
  const Ran two_hops = run(machine, program);
  expect_within(two_hops.ns / 20'000, 8 * 6.4);
  EXPECT_EQ(two_hops.wires[0].bytes, two_hops.wires[1].bytes);
}

TEST(SimulateClosedForms, PageWalksOfAChase) {
  // The tables' lowest entries of 256 MiB are 512 KiB: beyond the level 2 cache of 16 KiB, so each
  // walk of 4 KiB pages waits for memory once; the 128 entries of 2 MiB pages stay near.
  SmallMachine machine = without_caches(1);
  machine.shape.tlb1 = {CacheShape{16, 4}, CacheShape{16, 4}, CacheShape{4, 4}};
  machine.shape.tlb2 = {CacheShape{64, 4}, CacheShape{0, 1}, CacheShape{4, 4}};
  machine.shape.walk_cache = 128;
  for (const PageClass size : {PageClass::small, PageClass::huge, PageClass::gigantic}) {
    MadeProgram program;
    program.pages = size;
    program.threads = {chase(200'000)};
    const Ran ran = run(machine, program);
    const double misses = static_cast<double>(ran.result.counts.tlb2_misses) / 200'000;
    double expected = 100;
    if (size == PageClass::small) {
      EXPECT_GT(misses, 0.99);
      expected += 2.8 + 100;  // the second TLB is asked, then memory
    } else if (size == PageClass::huge) {
      // 128 entries of 8 bytes are 16 lines: found in level 1 or 2.
      EXPECT_GT(misses, 0.85);
      const double in_l1 = 1.6, in_l2 = 5;
      EXPECT_GT(ran.ns / 200'000, expected + misses * (2.8 + in_l1));
      EXPECT_LT(ran.ns / 200'000, expected + misses * (2.8 + 3 * in_l2));
      continue;
    } else {
      EXPECT_LT(misses, 0.01);
    }
    expect_within(ran.ns / 200'000, expected);
  }
}

TEST(SimulateClosedForms, ALineThatTwoThreadsWriteInTurns) {
  for (const bool far : {false, true}) {
    SmallMachine machine(2);
    MadeProgram program;
    Op read;  // 200 ns of work, then the line is read and written
    read.instructions = 1999;
    read.bytes = 8;
    read.address = 64;
    Op write = read;
    write.instructions = 0;
    write.write = true;
    for (int i = 0; i < 2; ++i)
      program.threads.push_back([=, done = 0](Batch& batch) mutable {
        batch.ops = {read, write};
        if (done == 0) batch.ops[0].instructions += static_cast<std::uint32_t>(i) * 1000;
        return ++done <= 20'000;
      });
    const Ran ran = run(machine, program, {0, far ? 2U : 1U});
    // On one chip, to read the line takes 30 ns beside the work, of which the window hides 12.8; the
    // write waits for nothing. From
    // chip to chip the line is the bottleneck: it moves to one thread, the other's copy is taken
    // away, and the same back. Reading takes the home's latency and 50 ns more, the upgrade the
    // latency: 100 ns for the thread on the home's node, 180 for the other.
    expect_within(ran.ns / 20'000, far ? 100 + 50 + 100 + 180 + 50 + 180 : 200 + 30 - 12.8);
    const Counts& counts = ran.result.counts;
    EXPECT_GT(far ? counts.transfers_far : counts.transfers_near, 39'000U);
  }
}

TEST(SimulateClosedForms, StoresWaitForTheirLinesOnlyWhereTheirBufferIsFull) {
  for (const std::uint32_t stores : {1U, 4U, 64U}) {
    SmallMachine machine = without_caches(1);
    machine.timing.stores = stores;
    machine.timing.lines = 8;
    MadeProgram program;
    Op like;
    like.write = true;
    like.instructions = 99;
    program.threads = {
        accesses(50'000, [](std::uint64_t i) { return random_line(i, kLines, 1); }, like)};
    // 10 ns of work for each; a line takes 100 ns, of which as many as the buffer holds go on.
    expect_within(run(machine, program).ns / 50'000, std::max({10.0, 100.0 / stores, 100.0 / 8}));
  }
}

}  // namespace
}  // namespace Atoll::simulate
