// Waits of simulated threads for each other.
#include "simulate/waits.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns a thread that executes these ops in order.
SyntheticProgram::Next ops(std::vector<Op> all) {
  return [all = std::move(all), done = false](Batch& batch) mutable {
    if (done) return false;
    batch.ops = all;
    return done = true;
  };
}

/// Returns `instructions` instructions, followed by an access to the thread's own local memory.
Op work(std::uint32_t thread, std::uint32_t instructions) {
  return {.bytes = 8, .instructions = instructions, .address = (std::uint64_t{thread} + 1) << 32};
}

constexpr std::uint32_t kLong = 100'000, kShort = 10;  // numbers of instructions, of 0.1 ns each

double share(const Ran& ran, Part part) {
  return static_cast<double>(ran.result.stack[part]) / static_cast<double>(ran.result.thread_time);
}

TEST(SimulateWaits, WhoWaitsGoesOnBehindTheRelease) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.threads = {
      ops({work(0, kLong), {.kind = Op::Kind::release, .address = 1}, work(0, kShort)}),
      ops({{.kind = Op::Kind::wait_for, .address = 1}, work(1, kLong)})};
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, 2 * kLong * 0.1, 600);
  EXPECT_NEAR(share(ran, kWaiting), 1.0 / 3, 0.03);
  EXPECT_EQ(ran.result.cut_waits, 0U);
}

TEST(SimulateWaits, AReleaseThatHasHappenedHoldsNobodyUp) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.threads = {
      ops({{.kind = Op::Kind::release, .address = 1}, work(0, kLong)}),
      ops({work(1, kLong), {.kind = Op::Kind::wait_for, .address = 1}, work(1, kShort)})};
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, kLong * 0.1, 600);
  EXPECT_LT(share(ran, kWaiting), 0.01);
}

TEST(SimulateWaits, ABarrierEndsWithTheLatestArrivalInSimulatedTime) {
  const SmallMachine machine(4);
  SyntheticProgram program;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    std::vector<Op> all;
    // In each round another thread arrives last, so each round takes as long as that thread's part.
    for (std::uint32_t round = 0; round < 4; ++round) {
      all.push_back(work(thread, round == thread ? kLong : kShort));
      all.push_back({.kind = Op::Kind::barrier, .address = round, .key = 64, .count = 4});
    }
    program.threads.push_back(ops(all));
  }
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, 4 * kLong * 0.1, 1'500);
  EXPECT_NEAR(share(ran, kWaiting), 0.75, 0.03);
}

TEST(SimulateWaits, APostLetsOneGoOn) {
  const SmallMachine machine(3);
  SyntheticProgram program;
  const auto post = [](std::uint64_t number) {
    return Op{.kind = Op::Kind::post, .address = number, .key = 64};
  };
  program.threads = {ops({work(0, kLong), post(1), work(0, kLong), post(2), work(0, kShort)}),
                     ops({{.kind = Op::Kind::take, .address = 2, .key = 64}, work(1, kLong)}),
                     ops({{.kind = Op::Kind::take, .address = 1, .key = 64}, work(2, kShort)})};
  const Ran ran = run(machine, program);
  EXPECT_NEAR(ran.ns, 3 * kLong * 0.1, 1'000);
}

TEST(SimulateWaits, AWaitThatNothingEndsIsCutWhenNobodyElseCanGoOn) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.threads = {ops({work(0, kLong)}),
                     ops({{.kind = Op::Kind::wait_for, .address = 7}, work(1, kShort)})};
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
