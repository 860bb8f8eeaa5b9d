// Replay of a run's windows. On the same machine, results are the same. If figures that determine
// hits change, the time changes as the time of a run would.
#include "simulate/windows.hpp"

#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns fewer accesses than the first window holds, so that the window is the whole run. Each
/// thread accesses a stream, and random lines in few and in many 4 KiB pages.
SyntheticProgram::Next accesses_of(std::uint64_t thread) {
  return accesses(500, [=](std::uint64_t i) {
    const std::uint64_t far = std::uint64_t{1} << 30;
    const std::uint64_t address = i % 4 == 1   ? far + random_line(i, 2048, 1)
                                  : i % 4 == 3 ? 2 * far + random_line(i, 1 << 20, 1)
                                               : i * 32;
    return (thread << 40) + address;
  });
}

SyntheticProgram program() {
  SyntheticProgram made;
  made.pages = PageClass::small;
  made.home = [](std::uint32_t, std::uint64_t) { return std::uint16_t{0}; };
  made.threads = {accesses_of(0), accesses_of(1)};
  return made;
}

SmallMachine machine() {
  SmallMachine made(1);
  made.shape.prefetch_streams = 4;
  made.shape.tlb1[0] = {16, 4};
  made.shape.tlb2[0] = {64, 4};
  made.timing.machine.read_closed = {6'400, 6'400};
  return made;
}

TEST(SimulateWindows, MeetTheSameOnTheSameMachine) {
  const SmallMachine same = machine();
  SyntheticProgram made = program();
  Windows windows(2, 3);
  run(same, made, {}, &windows);
  Pages homes({0, 1}, same.shape.line_bits);
  const double time = windows.time(same.timing, same.hw_threads);
  EXPECT_GT(time, 0);
  EXPECT_EQ(
      windows.with_shape(same.shape, homes, same.hw_threads).time(same.timing, same.hw_threads),
      time);
}

TEST(SimulateWindows, FollowFiguresThatDecideHits) {
  const SmallMachine nominal = machine();
  SyntheticProgram made = program();
  Windows windows(2, 3);
  run(nominal, made, {}, &windows);
  const double time = windows.time(nominal.timing, nominal.hw_threads);
  SmallMachine other = nominal;
  for (const auto& change :
       std::initializer_list<void (*)(Shape&)>{[](Shape& shape) { shape.tlb2[0].entries = 16; },
                                               [](Shape& shape) { shape.walk_cache = 1; },
                                               [](Shape& shape) { shape.prefetch_streams = 0; },
                                               [](Shape& shape) { shape.open_rows = 1; }}) {
    other.shape = nominal.shape;
    change(other.shape);
    Pages homes({0, 1}, other.shape.line_bits);
    const double moved = windows.with_shape(other.shape, homes, other.hw_threads)
                             .time(nominal.timing, nominal.hw_threads);
    EXPECT_NE(moved, time);
    // The result is that of a run on the other machine, except for the order in which threads reach
    // a memory.
    SyntheticProgram again = program();
    Windows of_other(2, 3);
    run(other, again, {}, &of_other);
    EXPECT_NEAR(moved, of_other.time(nominal.timing, nominal.hw_threads), 0.001 * moved);
  }
}

}  // namespace
}  // namespace Atoll::simulate
