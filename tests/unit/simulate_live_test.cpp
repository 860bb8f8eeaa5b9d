// A program that runs during its simulation. Results don't depend on when the host detects that a
// thread sleeps, and quanta are granted in order of simulated time.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns a function that returns a thread's batches in order.
SyntheticProgram::Next batches(std::vector<std::vector<TestRecord>> all) {
  return [all = std::move(all), next = std::size_t{0}](Batch& batch) mutable {
    if (next == all.size()) return false;
    for (const TestRecord& record : all[next++]) append(batch, record);
    return true;
  };
}

/// A synthetic program that behaves like a live one. For each sleeping thread, either the host
/// detects that it sleeps, or the thread has resumed before.
class RunningProgram : public SyntheticProgram, private LiveThreads {
 public:
  explicit RunningProgram(bool host_is_fast) : host_is_fast_(host_is_fast) {}
  LiveThreads* live() override { return this; }
  std::uint32_t moves_to = 0;        ///< place to which a binding moves its thread
  std::vector<std::uint32_t> turns;  ///< threads in the order of their quanta

 private:
  std::optional<ProgramThread> create(std::uint32_t, std::uint64_t) override { return {}; }
  std::optional<std::uint32_t> joined(std::uint32_t, std::uint64_t) override { return {}; }
  std::optional<ProgramThread> appeared() override { return {}; }
  bool has_more(std::uint32_t thread) override {
    return std::ranges::find(called_, thread) != called_.end();
  }
  bool wait_for_records(std::uint32_t) override { return host_is_fast_; }
  void wait_for_records_of_each(std::vector<std::uint32_t>& threads) override {
    called_.insert(called_.end(), threads.begin(), threads.end());
  }
  void wait_for_records_of_some(std::vector<std::uint32_t>&, std::size_t, std::size_t) override {}
  void wait_for_more(std::uint32_t) override {}
  void grant_turn(std::uint32_t thread) override { turns.push_back(thread); }
  std::uint64_t number_of(std::uint32_t) override { return 0; }
  bool some_run() override { return false; }
  bool has_ended() override { return true; }
  bool was_stopped() override { return false; }
  std::vector<Move> moved_threads() override { return {}; }
  std::vector<Move> bind(std::uint32_t thread, const recording::StreamPlacement&) override {
    return {{thread, moves_to}};
  }
  std::vector<Moved> moved_pages() override { return {}; }

  bool host_is_fast_;
  std::vector<std::uint32_t> called_;  ///< woken threads, which the program resumes
};

/// Returns an access to the thread's own memory, after `instructions` instructions of 0.1 ns.
StyledAccess work(std::uint32_t thread, std::uint32_t instructions, std::uint64_t line = 0) {
  return {.style = {.work = {.instructions = instructions}},
          .address = ((std::uint64_t{thread} + 1) << 32) + line * 64,
          .write = true};
}
std::vector<TestRecord> much_work(std::uint32_t thread, std::uint32_t times,
                                  std::uint32_t instructions) {
  std::vector<TestRecord> all;
  for (std::uint32_t i = 0; i < times; ++i) all.push_back(work(thread, instructions, i));
  return all;
}
constexpr recording::StreamWait turn(std::uint64_t behind = 0) {
  return {.kind = recording::RecordKind::turn, .key = behind};
}
constexpr recording::StreamWait sleeps_for(std::uint64_t key) {
  return {.kind = recording::RecordKind::asleep, .key = key};
}

struct Seen {
  Ticks elapsed;
  std::vector<Ticks> stack;
  std::vector<std::uint32_t> turns;
  std::uint64_t cut_waits;
  friend bool operator==(const Seen&, const Seen&) = default;
};
Seen seen(RunningProgram& program, const std::vector<std::uint32_t>& hw_threads) {
  const SmallMachine machine(4);
  const Ran ran = run(machine, program, hw_threads);
  Seen all{ran.result.elapsed, {}, program.turns, ran.result.cut_waits};
  for (std::size_t part = 0; part < ran.result.stack.parts(); ++part)
    all.stack.push_back(ran.result.stack[part]);
  return all;
}

TEST(SimulateLive, WhenTheHostSeesAThreadSleepMakesNoDifference) {
  const auto one = [](bool host_is_fast) {
    RunningProgram program(host_is_fast);
    const recording::StreamWait asleep = sleeps_for(7);
    // Threads 1 and 2 wait twice. Threads 3 and 4 share cores and some lines with them.
    for (std::uint32_t thread = 0; thread < 5; ++thread) {
      std::vector<std::vector<TestRecord>> all{much_work(thread, 40, thread * 37)};
      for (std::uint64_t round = 1; round < 3; ++round) {
        if (thread == 0) {
          all.push_back(much_work(0, 40, 3000));  // delays the release until the others wait
          all.push_back({released(round, 7)});
        } else if (thread < 3) {
          all.push_back({asleep});
          all.push_back({waited(round)});
        }
        all.push_back(much_work(thread < 2 ? 9 : thread, 40, 300 + thread * 11));
        if (thread == 1) all.push_back(much_work(thread, 5, 3));
      }
      program.threads.push_back(batches(all));
    }
    return seen(program, {0, 1, 2, 1, 2});
  };
  const Seen slow = one(false), fast = one(true);
  EXPECT_EQ(slow, fast);
  EXPECT_GT(slow.stack[kWaiting], 0);
}

// Two threads write the same lines while others reach a barrier. The writers' results depend on the
// bounds of their quanta.
TEST(SimulateLive, WhoWakesUpAtABarrierCutsNobodysTurn) {
  const auto one = [](bool host_is_fast, std::uint32_t instructions) {
    RunningProgram program(host_is_fast);
    const std::vector<TestRecord> meets{sleeps_for(5), barrier(5, 0, 3)};
    program.threads.push_back(batches({much_work(0, 40, 1000), meets}));
    // Thread 1 sleeps at the barrier, or has resumed before the host detects that it sleeps. When
    // it arrives, its store is in flight.
    program.threads.push_back(batches({{work(1, instructions)}, {meets[0]}, {meets[1]}}));
    program.threads.push_back(batches({{work(2, instructions + 500)}, meets, {work(2, 1)}}));
    for (std::uint32_t thread = 3; thread < 5; ++thread) {
      std::vector<TestRecord> all = much_work(3, 2000, 5 + 2 * thread);
      for (std::size_t i = 0; i < all.size(); ++i)
        std::get<StyledAccess>(all[i]).address = (1U << 20) + i % 7 * 64;
      program.threads.push_back(batches({all}));
    }
    return seen(program, {0, 1, 2, 3, 0});
  };
  for (std::uint32_t instructions = 1000; instructions < 2000; instructions += 37)
    EXPECT_EQ(one(false, instructions), one(true, instructions)) << instructions;
}

// OpenMP workers sleep between parallel regions.
constexpr recording::StreamWait kSleepsBetweenRegions = sleeps_for(8);
constexpr recording::StreamWait expects(std::uint64_t release, std::uint32_t workers) {
  return {.kind = recording::RecordKind::expects, .release = release, .count = workers};
}

TEST(SimulateLive, AWorkerGoesOnWhenItsRegionExpectsIt) {
  const auto one = [](bool host_is_fast) {
    RunningProgram program(host_is_fast);
    program.threads.push_back(batches(
        {{work(0, 1000), released(1, 9), work(0, 20'000), expects(1, 1), work(0, 500), turn()}}));
    const std::vector<TestRecord> in_region{waited(1), work(1, 30), turn(), work(1, 30)};
    std::vector<TestRecord> all{kSleepsBetweenRegions};
    if (!host_is_fast) {  // the host detected that the worker sleeps
      program.threads.push_back(batches({all, in_region}));
    } else {
      all.insert(all.end(), in_region.begin(), in_region.end());
      program.threads.push_back(batches({all}));
    }
    return seen(program, {0, 1});
  };
  const Seen slow = one(false), fast = one(true);
  EXPECT_EQ(slow, fast);
  EXPECT_EQ(fast.turns, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_GT(fast.stack[kWaiting], fast.elapsed / 2);
}

TEST(SimulateLive, AnIdleWorkerDoesNotSlowItsCoresOtherThread) {
  for (const bool host_is_fast : {false, true}) {
    const auto elapsed = [&](std::uint32_t seat_of_worker) {
      RunningProgram program(host_is_fast);
      std::vector<TestRecord> all = much_work(0, 40, 3'000);
      for (const TestRecord& record :
           std::vector<TestRecord>{released(1, 9), expects(1, 1), work(0, 500), turn()})
        all.push_back(record);
      program.threads.push_back(batches({all}));
      program.threads.push_back(
          batches({{work(1, 10), kSleepsBetweenRegions}, {waited(1), work(1, 30), turn()}}));
      return seen(program, {0, seat_of_worker}).elapsed;
    };
    const auto apart = static_cast<double>(elapsed(1)), together = static_cast<double>(elapsed(0));
    EXPECT_NEAR(together, apart, 0.05 * apart) << host_is_fast;
  }
}

TEST(SimulateLive, AWorkerThatComesAfterItsRegionHasBegunGoesOn) {
  RunningProgram program(true);
  program.threads.push_back(
      batches({{released(1, 9), expects(1, 1), work(0, 20'000), turn(), work(0, 1)}}));
  program.threads.push_back(
      batches({{work(1, 100), kSleepsBetweenRegions, waited(1), work(1, 30), turn()}}));
  const Seen all = seen(program, {0, 1});
  EXPECT_EQ(all.turns, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(all.cut_waits, 0U);
}

TEST(SimulateLive, AWorkerBetweenRegionsMayDoOtherWork) {
  // Between regions, the worker runs a task, which waits for a lock. In the second region it also
  // waits for a lock.
  RunningProgram program(true);
  program.threads.push_back(batches({{released(1, 9), expects(1, 1), released(2, 7)}}));
  program.threads.push_back(batches({{kSleepsBetweenRegions, work(1, 30), waited(2),
                                      kSleepsBetweenRegions, waited(1), waited(2)}}));
  EXPECT_EQ(seen(program, {0, 1}).cut_waits, 0U);
}

TEST(SimulateLive, TurnsComeInSimulatedTime) {
  RunningProgram program(true);
  for (std::uint32_t thread = 0; thread < 3; ++thread)
    program.threads.push_back(
        batches({{work(thread, 5000 - 2000 * thread), turn(), work(thread, 10'000), turn()}}));
  const Seen all = seen(program, {0, 1, 2});
  EXPECT_EQ(all.turns, (std::vector<std::uint32_t>{2, 1, 0, 2, 1, 0}));
}

TEST(SimulateLive, WhoWaitsForATurnBehindAReleaseGoesOnInOrder) {
  // The threads arrive in the order 2, 1, 0. The first release resumes one thread, the second one
  // all.
  const auto waits = [](std::uint32_t thread) {
    return batches({{work(thread, 5000 - 2000 * thread), turn(8), work(thread, 10)}});
  };
  RunningProgram program(true);
  for (std::uint32_t thread = 0; thread < 3; ++thread) program.threads.push_back(waits(thread));
  program.threads.push_back(
      batches({{work(3, 20'000), released(1, 8, 1), work(3, 20'000), turn(), released(2, 8)}}));
  const Seen all = seen(program, {0, 1, 2, 3});
  EXPECT_EQ(all.turns, (std::vector<std::uint32_t>{2, 3, 0, 1}));
  EXPECT_GE(all.elapsed, 40'000 * 100);
}

TEST(SimulateLive, NothingComesBetweenAReleaseAndTheWaitBehindIt) {
  // Thread 1 releases a lock (key 8), then waits for a signal (key 9). Thread 0, which waited for
  // the lock, signals immediately. This signal must not be lost. Thread 2 keeps the quanta short.
  RunningProgram program(true);
  program.threads.push_back(batches({{work(0, 10), turn(8), released(2, 9, 1), work(0, 30'000)}}));
  program.threads.push_back(
      batches({{work(1, 20'000), turn(), released(1, 8), turn(9), work(1, 10)}}));
  program.threads.push_back(batches({much_work(2, 400, 100)}));
  const Seen all = seen(program, {0, 1, 2});
  EXPECT_EQ(all.turns, (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_EQ(all.cut_waits, 0U);
}

TEST(SimulateLive, AReleaseSinceTheLastTurnIsWaitedForNoMore) {
  // Thread 0 tries to acquire a lock before thread 1 releases it, and starts to wait some time
  // later.
  const auto comes_too_early = [] {
    return batches({{work(0, 1000), turn(), work(0, 1000), turn(8), work(0, 10)}});
  };
  RunningProgram meanwhile(true);
  meanwhile.threads.push_back(comes_too_early());
  meanwhile.threads.push_back(batches({{work(1, 1500), turn(), released(1, 8), work(1, 30'000)}}));
  const Seen at_once = seen(meanwhile, {0, 1});
  EXPECT_EQ(at_once.turns, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(at_once.cut_waits, 0U);
  // A release before the attempt doesn't count, so the thread waits for the next release.
  RunningProgram before(true);
  before.threads.push_back(comes_too_early());
  before.threads.push_back(
      batches({{work(1, 500), turn(), released(1, 8), work(1, 30'000), turn(), released(2, 8)}}));
  const Seen later = seen(before, {0, 1});
  EXPECT_EQ(later.turns, (std::vector<std::uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(later.cut_waits, 0U);
}

TEST(SimulateLive, AccessesCompleteBeforeTheirThreadMoves) {
  const auto elapsed = [](bool binds) {
    RunningProgram program(true);
    program.moves_to = 1;
    StyledAccess load = work(0, 0);
    load.write = false;
    std::vector<TestRecord> all{load};
    if (binds) all.push_back(recording::StreamPlacement{.kind = recording::RecordKind::bound});
    all.push_back(recording::Work{.instructions = 100});
    program.threads.push_back(batches({all}));
    return seen(program, {0}).elapsed;
  };
  // The instructions don't overlap with the load. Each takes 100 ps.
  EXPECT_EQ(elapsed(true), elapsed(false) + 100 * 100);
}

}  // namespace
}  // namespace Atoll::simulate
