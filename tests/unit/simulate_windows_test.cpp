// Windows of a run, looked up once more: on the same machine they meet the same, and what decides
// hits changes their time as it changes the run's.
#include "simulate/windows.hpp"

#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

class NoHomes : public Homes {
 public:
  std::uint16_t home_of(LineKey, std::uint32_t) override { return 0; }
};

/// Fewer accesses than the first window has, so that it is the whole run. Two threads, streams and
/// random lines in 4 KiB pages.
MadeProgram::Next accesses_of(std::uint64_t thread) {
  return accesses(400, [=](std::uint64_t i) {
    return (i % 2 == 0 ? i * 32 : random_line(i, 4096, 1)) + (thread << 40);
  });
}

MadeProgram program() {
  MadeProgram made;
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
  return made;
}

TEST(SimulateWindows, MeetTheSameOnTheSameMachine) {
  const SmallMachine same = machine();
  MadeProgram made = program();
  Windows windows(2, 3);
  run(same, made, {}, &windows);
  NoHomes homes;
  const double time = windows.time(same.timing, same.seats);
  EXPECT_GT(time, 0);
  EXPECT_EQ(windows.looked_up(same.shape, homes, same.seats).time(same.timing, same.seats), time);
}

TEST(SimulateWindows, FollowFiguresThatDecideHits) {
  const SmallMachine nominal = machine();
  NoHomes homes;
  MadeProgram made = program();
  Windows windows(2, 3);
  run(nominal, made, {}, &windows);
  const double time = windows.time(nominal.timing, nominal.seats);
  SmallMachine other = nominal;
  for (const auto& change :
       std::initializer_list<void (*)(Shape&)>{[](Shape& shape) { shape.tlb2[0].entries = 16; },
                                               [](Shape& shape) { shape.walk_cache = 1; },
                                               [](Shape& shape) { shape.prefetch_streams = 0; },
                                               [](Shape& shape) { shape.l1.ways = 1; }}) {
    other.shape = nominal.shape;
    change(other.shape);
    const double moved =
        windows.looked_up(other.shape, homes, other.seats).time(nominal.timing, nominal.seats);
    EXPECT_NE(moved, time);
    // The same as if the whole run had been there.
    MadeProgram again = program();
    Windows of_other(2, 3);
    run(other, again, {}, &of_other);
    EXPECT_EQ(moved, of_other.time(nominal.timing, nominal.seats));
  }
}

}  // namespace
}  // namespace Atoll::simulate
