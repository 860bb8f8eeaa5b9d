// In-order cores, and threads that share a core or a module, in cases that have a formula.
#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kCount = 50'000, kLines = std::uint64_t{1} << 22;

/// Returns a machine whose caches almost never hit.
SmallMachine without_caches() {
  SmallMachine machine(4);
  machine.shape.l2 = {64, 8};
  machine.shape.l1 = {16, 8};
  return machine;
}

/// Returns pairs of loads: one of a random line, and one of a line in level 1 whose address depends
/// on the first load's value.
SyntheticProgram::Next pairs(std::uint64_t count) {
  return [=, done = std::uint64_t{0}](Batch& batch) mutable {
    if (done == count) return false;
    StyledAccess first;
    first.address = random_line(done, kLines, 1);
    StyledAccess second = first;
    second.address = (std::uint64_t{1} << 41) + 64;
    second.style.depends_on = 1;
    append(batch, first);
    append(batch, second);
    ++done;
    return true;
  };
}

double ns_each(const SmallMachine& machine, std::uint32_t threads,
               const std::function<SyntheticProgram::Next(std::uint64_t)>& of,
               const std::vector<std::uint32_t>& hw_threads = {}) {
  SyntheticProgram program;
  for (std::uint32_t i = 0; i < threads; ++i) program.threads.push_back(of(i));
  return run(machine, program, hw_threads).ns / kCount;
}

TEST(SimulateSharing, InOrderWhatNeedsALoadHoldsUpWhatFollows) {
  SmallMachine machine(1);
  machine.timing.core.lines = 20;
  machine.timing.core.window = 512;
  const auto of = [](std::uint64_t) { return pairs(kCount); };
  // Out of order: the number of lines in flight limits.
  EXPECT_NEAR(ns_each(machine, 1, of), 100.0 / 20, 0.1);
  // In order: the second load waits for the first one, and later instructions wait, too.
  machine.timing.core.in_order = true;
  EXPECT_NEAR(ns_each(machine, 1, of), 100, 2);
}

/// Returns loads of one line, with 9 instructions before each.
SyntheticProgram::Next working(std::uint64_t thread) {
  StyledAccess like;
  like.style.work.instructions = 9;
  return accesses(
      kCount, [=](std::uint64_t) { return (thread << 40) + 4096; }, like);
}

TEST(SimulateSharing, ThreadsOfACoreDivideItsWidth) {
  SmallMachine machine(4);
  EXPECT_NEAR(ns_each(machine, 2, working), 1.0, 0.02);
  machine.hw_threads[1] = machine.hw_threads[0];
  EXPECT_NEAR(ns_each(machine, 1, working), 1.0, 0.02);
  EXPECT_NEAR(ns_each(machine, 2, working), 2.0, 0.04);
}

TEST(SimulateSharing, CoresOfAModuleDivideItsFrontEnd) {
  SmallMachine machine(4);
  machine.timing.core.l2_instruction = 80;  // ps for both cores together; a core alone takes 100 ps
  machine.hw_threads[1].l2 = machine.hw_threads[0].l2;
  EXPECT_NEAR(ns_each(machine, 1, working), 1.0, 0.02);
  EXPECT_NEAR(ns_each(machine, 2, working), 1.6, 0.03);
}

TEST(SimulateSharing, LinesInFlightAreDividedAmongThreads) {
  const auto of = [](std::uint64_t thread) {
    return accesses(kCount,
                    [=](std::uint64_t i) { return (thread << 40) + random_line(i, kLines, 1); });
  };
  SmallMachine machine = without_caches();
  machine.timing.core.lines = 8;
  machine.timing.core.window = 512;
  EXPECT_NEAR(ns_each(machine, 2, of), 100.0 / 8, 0.25);
  machine.hw_threads[1] = machine.hw_threads[0];
  EXPECT_NEAR(ns_each(machine, 2, of), 2 * 100.0 / 8, 0.5);
  // Similarly, the cores of a level 2 cache share its lines in flight.
  machine = without_caches();
  machine.timing.core.lines = 8;
  machine.timing.core.l2_lines = 10;
  machine.timing.core.window = 512;
  machine.hw_threads[1].l2 = machine.hw_threads[0].l2;
  EXPECT_NEAR(ns_each(machine, 2, of), 100.0 / 5, 0.4);
}

}  // namespace
}  // namespace Atoll::simulate
