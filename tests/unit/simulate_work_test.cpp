// Cost of instructions between accesses, and of atomic accesses, in cases that have a formula.
#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kCount = 100'000;

/// Returns nanoseconds per access, for many accesses like `like` to one line.
double ns_each(SmallMachine machine, const StyledAccess& like) {
  SyntheticProgram program;
  program.threads = {accesses(
      kCount, [](std::uint64_t) { return 4096; }, like)};
  return run(machine, program).ns / kCount;
}

SmallMachine machine() {
  SmallMachine made(1);
  made.timing.core.division = 8'000;
  made.timing.core.chain_step = 1'600;
  made.timing.core.atomic = 8'000;
  return made;
}

/// Returns the same machine with caches that random lines miss.
SmallMachine with_small_caches() {
  SmallMachine made = machine();
  made.shape.l2 = {256, 8};
  made.shape.l1 = {64, 8};
  return made;
}

TEST(SimulateWork, DivisionsAndChainsTakeTheirTimeOneAfterTheOther) {
  StyledAccess like;
  like.style.work.instructions = 5;
  EXPECT_NEAR(ns_each(machine(), like), 0.6, 0.02);
  like.style.work.divisions = 1;
  EXPECT_NEAR(ns_each(machine(), like), 8, 0.16);
  like.style.work.chain = 2;
  EXPECT_NEAR(ns_each(machine(), like), 8 + 2 * 1.6, 0.2);
}

TEST(SimulateWork, AChainThatIsShorterThanTheOtherWorkCostsNothing) {
  StyledAccess like;
  like.style.work.instructions = 19;
  like.style.work.chain = 1;
  EXPECT_NEAR(ns_each(machine(), like), 2.0, 0.04);
}

TEST(SimulateWork, AChainLongerThanTheWindowOverlapsWithTheInstructions) {
  // The chain is reported as one record of work, then as the work before an access.
  constexpr std::uint32_t kSteps = 10'000;
  SyntheticProgram program;
  program.threads = {[done = false](Batch& batch) mutable {
    if (done) return false;
    batch.add(recording::Work{.instructions = 3 * kSteps, .chain = kSteps});
    return done = true;
  }};
  EXPECT_NEAR(run(machine(), program).ns, kSteps * 1.6, 0.005 * kSteps * 1.6);
  StyledAccess like;
  like.style.work.instructions = 3 * kSteps;
  like.style.work.chain = kSteps;
  SyntheticProgram with_accesses;
  with_accesses.threads = {accesses(
      10, [](std::uint64_t) { return 4096; }, like)};
  EXPECT_NEAR(run(machine(), with_accesses).ns, 10 * kSteps * 1.6, 0.005 * 10 * kSteps * 1.6);
}

TEST(SimulateWork, AnAtomicOperationHoldsUpWhatFollows) {
  StyledAccess like;
  like.write = like.style.atomic = true;
  // The line is in the cache, but the atomic operation itself takes 8 ns.
  EXPECT_NEAR(ns_each(machine(), like), 0.1 + 8, 0.2);
  like.style.atomic = false;
  EXPECT_NEAR(ns_each(machine(), like), 0.1, 0.02);
}

TEST(SimulateWork, AnAtomicOperationWaitsForLoadsBeforeIt) {
  SyntheticProgram program;
  program.threads = {[done = std::uint64_t{0}](Batch& batch) mutable {
    if (done == 10'000) return false;
    StyledAccess load;
    load.address = random_line(done, std::uint64_t{1} << 22, 1);
    StyledAccess atomic = load;
    atomic.address = std::uint64_t{1} << 40;
    atomic.write = atomic.style.atomic = true;
    append(batch, load);
    append(batch, atomic);
    ++done;
    return true;
  }};
  EXPECT_NEAR(run(with_small_caches(), program).ns / 10'000, 100 + 8, 3);
}

TEST(SimulateWork, WorkWithoutAccessesTakesItsTime) {
  SyntheticProgram program;
  program.threads = {[done = false](Batch& batch) mutable {
    if (done) return false;
    done = true;
    batch.add(recording::Work{.instructions = 1'000'000});
    batch.add(recording::Work{.instructions = 1000, .divisions = 1000});
    return true;
  }};
  EXPECT_NEAR(run(machine(), program).ns, 100'000 + 8'000, 200);
}

TEST(SimulateWork, ALoadAcrossTwoLinesIsOneLoad) {
  // Each load across two lines is followed by a load that depends on the same load of the previous
  // round.
  SyntheticProgram program;
  program.threads = {[done = std::uint64_t{0}](Batch& batch) mutable {
    if (done == 10'000) return false;
    StyledAccess across;
    across.address = random_line(2 * done, std::uint64_t{1} << 22, 1) + 60;
    StyledAccess next = across;
    next.address = random_line(2 * done + 1, std::uint64_t{1} << 22, 1);
    next.style.depends_on = 2;  // `next` of the previous round
    append(batch, across);
    append(batch, next);
    ++done;
    return true;
  }};
  EXPECT_NEAR(run(with_small_caches(), program).ns / 10'000, 100, 5);
}

}  // namespace
}  // namespace Atoll::simulate
