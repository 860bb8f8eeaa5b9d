// Waits of simulated threads for each other.
#include "simulate/waits.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns `instructions` instructions, followed by an access to the thread's own local memory.
StyledAccess work(std::uint32_t thread, std::uint32_t instructions) {
  return {.style = {.work = {.instructions = instructions}},
          .address = (std::uint64_t{thread} + 1) << 32};
}

constexpr std::uint32_t kLong = 100'000, kShort = 10;  // numbers of instructions, of 0.1 ns each

double share(const Ran& ran, Part part) {
  return static_cast<double>(ran.result.stack[part]) / static_cast<double>(ran.result.thread_time);
}

TEST(SimulateWaits, WhoWaitsGoesOnBehindTheRelease) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.threads = {executes({work(0, kLong), released(1), work(0, kShort)}),
                     executes({waited(1), work(1, kLong)})};
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, 2 * kLong * 0.1, 600);
  EXPECT_NEAR(share(ran, kWaiting), 1.0 / 3, 0.03);
  EXPECT_EQ(ran.result.cut_waits, 0U);
}

TEST(SimulateWaits, AccessesCompleteBeforeARelease) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  // Each access takes 100 ns, and 100 ns more for the page table.
  program.threads = {executes({work(0, kShort), released(1)}),
                     executes({waited(1), work(1, kShort)})};
  EXPECT_GT(run(machine, program).ns, 2 * 200);
}

TEST(SimulateWaits, AReleaseThatHasHappenedHoldsNobodyUp) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.threads = {executes({released(1), work(0, kLong)}),
                     executes({work(1, kLong), waited(1), work(1, kShort)})};
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, kLong * 0.1, 600);
  EXPECT_LT(share(ran, kWaiting), 0.01);
}

TEST(SimulateWaits, ABarrierEndsWithTheLatestArrivalInSimulatedTime) {
  const SmallMachine machine(4);
  SyntheticProgram program;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    std::vector<TestRecord> all;
    // In each round another thread arrives last, so each round takes as long as that thread's part.
    for (std::uint32_t round = 0; round < 4; ++round) {
      all.push_back(work(thread, round == thread ? kLong : kShort));
      all.push_back(barrier(64, round, 4));
    }
    program.threads.push_back(executes(all));
  }
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, 4 * kLong * 0.1, 1'500);
  EXPECT_NEAR(share(ran, kWaiting), 0.75, 0.03);
}

TEST(SimulateWaits, APostLetsOneGoOn) {
  const SmallMachine machine(3);
  SyntheticProgram program;
  const auto post = [](std::uint64_t number) { return posted(64, number); };
  program.threads = {executes({work(0, kLong), post(1), work(0, kLong), post(2), work(0, kShort)}),
                     executes({took(64, 2), work(1, kLong)}),
                     executes({took(64, 1), work(2, kShort)})};
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, 3 * kLong * 0.1, 1'000);
}

TEST(SimulateWaits, AWaitThatNothingEndsIsCutWhenNobodyElseCanGoOn) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.threads = {executes({work(0, kLong)}), executes({waited(7), work(1, kShort)})};
  const Ran ran = run(machine, program);
  EXPECT_EQ(ran.result.cut_waits, 1U);
  EXPECT_GE(ran.ns, kLong * 0.1 - 1);
}

TEST(SimulateWaits, ReleasesLongAgoAreForgottenAndHoldNobodyUp) {
  Waits waits;
  for (std::uint64_t number = 1; number <= 3 * Waits::kRemembered; ++number)
    EXPECT_TRUE(waits.release(number, 5).empty());
  EXPECT_EQ(waits.wait_for(1, 0), Ticks{0});
  EXPECT_EQ(waits.wait_for(3 * Waits::kRemembered, 0), Ticks{5});
  EXPECT_EQ(waits.wait_for(3 * Waits::kRemembered + 1, 0), std::nullopt);
}

}  // namespace
}  // namespace Atoll::simulate
