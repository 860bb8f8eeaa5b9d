// Loops of tasks on real threads. Each iteration runs once, with and without schedules and
// observers; lists keep their order. Also schedules that don't fit, extreme sizes and misuse.
#include "atoll/parallel/for_each_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>

#include "atoll/marks/marks.h"  // must declare the same functions as parallel/task_marks.hpp
#include "atoll/marks/marks.h"
#include "atoll/parallel/fingerprint.hpp"
#include "fake_backend.hpp"

namespace Atoll {
namespace {

using Tasks = std::vector<std::uint64_t>;

/// Unpinned threads on nodes 0 and 1 of the four-node machine.
ThreadPlaces places(int threads) {
  return spread_places(memory::four_node_machine(), threads);
}

/// Returns a schedule with lists of random lengths, which contain all tasks of the loop in random
/// order.
ScheduledLoop shuffled(const char* name, std::uint64_t size, std::uint64_t chunk, int threads) {
  ScheduledLoop loop{name, size, chunk, 0, {0}, {}};
  std::mt19937 random(static_cast<unsigned>(size + chunk));
  loop.tasks.resize(loop.task_count());
  std::iota(loop.tasks.begin(), loop.tasks.end(), 0U);
  std::shuffle(loop.tasks.begin(), loop.tasks.end(), random);
  for (int thread = 1; thread < threads; ++thread)
    loop.begin.push_back(random() % (loop.tasks.size() + 1));
  loop.begin.push_back(loop.tasks.size());
  std::sort(loop.begin.begin(), loop.begin.end());
  return loop;
}

/// An observer that records its calls.
class Log : public TaskObserver {
 public:
  void loop(const TaskLoop& loop) noexcept override { loops.push_back(loop); }
  void begin(const TaskLoop& loop, std::uint64_t task) noexcept override {
    const std::scoped_lock lock(mutex);
    EXPECT_STREQ(loop.name, loops.back().name);
    EXPECT_TRUE(at.emplace(std::this_thread::get_id(), task).second) << "a task within a task";
    begun.push_back(task);
  }
  void end() noexcept override {
    const std::scoped_lock lock(mutex);
    ended.push_back(at.at(std::this_thread::get_id()));
    at.erase(std::this_thread::get_id());
  }
  /// Returns the task that the calling thread runs.
  std::uint64_t current() {
    const std::scoped_lock lock(mutex);
    return at.at(std::this_thread::get_id());
  }

  std::vector<TaskLoop> loops;
  Tasks begun, ended;
  std::mutex mutex;
  std::map<std::thread::id, std::uint64_t> at;
};

struct Case {
  Team::Runtime runtime;
  LoopSchedule how;
};

class ForEachTask : public testing::TestWithParam<Case> {
 protected:
  static Team team(int threads) { return Team(places(threads), GetParam().runtime, false); }
  static LoopSchedule how() { return GetParam().how; }
  static TaskOptions options(const FollowedSchedule* follow, TaskObserver* observer = nullptr) {
    return {.how = how(), .follow = follow, .observer = observer};
  }
};

TEST_P(ForEachTask, EveryIterationOnceWatchedOrNotScheduledOrNot) {
  for (const int threads : {1, 2, 5}) {
    const Team team = ForEachTask::team(threads);
    for (const std::size_t size : {0, 1, 2, 7, 1024, 4097, 100'000})
      for (const std::size_t chunk : {1, 2, 100, 1024, 5000}) {
        const FollowedSchedule follow({places(threads), {shuffled("loop", size, chunk, threads)}},
                                      {.strict = true});
        const std::size_t tasks = (size + chunk - 1) / chunk;
        for (const FollowedSchedule* schedule :
             {static_cast<const FollowedSchedule*>(nullptr), &follow})
          for (const bool watched : {false, true}) {
            if (watched && tasks > 1100) continue;  // the observer is slow
            Log log;
            std::vector<std::atomic<int>> runs(size);
            for_each_task(
                team, "loop", size, chunk,
                [&](std::size_t i) {
                  ++runs[i];
                  if (watched) {
                    EXPECT_EQ(log.current(), i / chunk);
                  }
                },
                options(schedule, watched ? &log : nullptr));
            for (const auto& count : runs) ASSERT_EQ(count, 1);
            if (!watched) continue;
            ASSERT_EQ(log.loops.size(), 1U);
            EXPECT_EQ(log.loops[0].tasks(), tasks);
            Tasks all(tasks);
            std::iota(all.begin(), all.end(), 0U);
            EXPECT_THAT(log.begun, testing::UnorderedElementsAreArray(all));
            EXPECT_THAT(log.ended, testing::UnorderedElementsAreArray(all));
          }
      }
  }
}

/// Returns the tasks that each thread ran, in order.
std::vector<Tasks> ran(const Team& team, std::size_t size, std::size_t chunk,
                       const TaskOptions& options) {
  std::vector<Tasks> tasks(static_cast<std::size_t>(team.size()));
  for_each_task(
      team, "loop", size, chunk,
      [&](std::size_t i) {
        Tasks& own = tasks[static_cast<std::size_t>(current_place().thread)];
        if (i % chunk == 0) own.push_back(i / chunk);
      },
      options);
  return tasks;
}

TEST_P(ForEachTask, FixedFollowsListsExactlyEachTimeThatTheLoopRuns) {
  const Team team = ForEachTask::team(3);
  for (const std::size_t chunk : {1, 3, 2000}) {
    const std::size_t size = 20'001;
    const ScheduledLoop lists = shuffled("loop", size, chunk, 3);
    const FollowedSchedule follow({places(3), {lists}}, {.strict = true});
    for (int round = 0; round < 2; ++round) {
      const std::vector<Tasks> tasks =
          ran(team, size, chunk, {.how = LoopSchedule::fixed, .follow = &follow});
      for (std::size_t thread = 0; thread < 3; ++thread)
        EXPECT_THAT(tasks[thread], testing::ElementsAreArray(lists.of(thread))) << chunk;
    }
  }
}

TEST_P(ForEachTask, DynamicHelpsAThreadThatIsLate) {
  const Team team = ForEachTask::team(2);
  const std::size_t size = 1000;
  ScheduledLoop lists{"loop", size, 1, 0, {0, size, size}, std::vector<std::uint32_t>(size)};
  std::iota(lists.tasks.rbegin(), lists.tasks.rend(), 0U);
  const FollowedSchedule follow({places(2), {lists}}, {.strict = true});
  std::atomic<std::size_t> helped{0};
  for_each_task(team, "loop", size, 1,
                [&](std::size_t) {
                  if (current_place().thread == 1)
                    ++helped;
                  else
                    while (helped == 0) std::this_thread::yield();
                },
                {.how = LoopSchedule::dynamic, .follow = &follow});
  EXPECT_GE(helped, 1U);
}

TEST_P(ForEachTask, WithoutAScheduleFixedGivesEachThreadAnEqualPartInOrder) {
  const Team team = ForEachTask::team(3);
  for (const std::size_t size : {0, 1, 2, 100, 1000, 100'001})
    for (const std::size_t chunk : {1, 7}) {
      const std::vector<Tasks> tasks = ran(team, size, chunk, {.how = LoopSchedule::fixed});
      for (std::uint32_t thread = 0; thread < 3; ++thread) {
        // C programs use this interface
        const atoll_loop loop{"loop", size, chunk, 0};
        const atoll_tasks mine = atoll_my_tasks(&loop, thread, 3);
        Tasks expected(mine.count);
        std::iota(expected.begin(), expected.end(), mine.first);
        EXPECT_EQ(tasks[thread], expected) << size << " " << chunk;
      }
    }
}

TEST_P(ForEachTask, AnExceptionInATaskEndsTheTaskAndTheLoop) {
  const Team team = ForEachTask::team(3);
  const FollowedSchedule follow({places(3), {shuffled("loop", 5000, 1, 3)}}, {.strict = true});
  for (const FollowedSchedule* schedule :
       {static_cast<const FollowedSchedule*>(nullptr), &follow}) {
    Log log;
    EXPECT_THROW(for_each_task(
                     team, "loop", 5000, 1,
                     [&](std::size_t i) {
                       if (i % 10 == 0) throw std::out_of_range("it");
                     },
                     options(schedule, &log)),
                 std::out_of_range);
    EXPECT_TRUE(log.at.empty());
    EXPECT_EQ(log.begun.size(), log.ended.size());
    EXPECT_LT(log.begun.size(), 5000U) << "what is left isn't run";
    std::atomic<std::size_t> sum{0};  // the team still works
    for_each_task(
        team, "loop", 5000, 1, [&](std::size_t i) { sum += i; }, options(schedule));
    EXPECT_EQ(sum, 5000U * 4999 / 2);
  }
}

TEST_P(ForEachTask, ATaskWithinATaskIsRefused) {
  const Team team = ForEachTask::team(2);
  const auto inner = [&](std::size_t) {
    for_each_task(
        team, "inner", 3, 1, [](std::size_t) {}, options(nullptr));
  };
  EXPECT_THROW(for_each_task(team, "outer", 3, 1, inner, options(nullptr)), Error);
}

TEST_P(ForEachTask, ATeamThatIsAskedToStopEndsItsLoops) {
  const Team team = ForEachTask::team(2);
  const FollowedSchedule follow({places(2), {shuffled("loop", 1'000'000, 1, 2)}}, {.strict = true});
  std::atomic<std::size_t> runs{0};
  const auto body = [&](std::size_t) {
    ++runs;
    team.request_stop();
  };
  EXPECT_THROW(for_each_task(team, "loop", 1'000'000, 1, body, options(&follow)), Stopped);
  EXPECT_LE(runs, 2 * kRangeIterations);
}

INSTANTIATE_TEST_SUITE_P(All, ForEachTask,
                         testing::Values(Case{Team::Runtime::openmp, LoopSchedule::fixed},
                                         Case{Team::Runtime::openmp, LoopSchedule::dynamic},
                                         Case{Team::Runtime::std_threads, LoopSchedule::fixed},
                                         Case{Team::Runtime::std_threads, LoopSchedule::dynamic}),
                         [](const auto& kind) {
                           return std::string(kind.param.runtime == Team::Runtime::openmp
                                                  ? "openmp"
                                                  : "std_threads") +
                                  (kind.param.how == LoopSchedule::fixed ? "_fixed" : "_dynamic");
                         });

/// Runs a loop of 10 iterations, 2 per task, on 2 threads. Returns the note or error about the
/// schedule.
std::string said(const Schedule& schedule, bool strict, const char* name = "loop",
                 std::uint64_t fingerprint = 0) {
  const Team team(places(2), Team::Runtime::std_threads, false);
  const FollowedSchedule follow(schedule, {.strict = strict});
  std::vector<std::atomic<int>> runs(10);
  testing::internal::CaptureStderr();
  std::string error;
  try {
    for (int round = 0; round < 2; ++round)  // the second call prints nothing
      for_each_task(team, name, 10, 2, [&](std::size_t i) { ++runs[i]; },
                    {.fingerprint = fingerprint, .follow = &follow});
    for (const auto& count : runs) EXPECT_EQ(count, 2);
  } catch (const Error& refusal) {
    EXPECT_EQ(refusal.kind(), Error::Kind::input);
    error = refusal.what();
    for (const auto& count : runs) EXPECT_EQ(count, 0);
  }
  const std::string noted = testing::internal::GetCapturedStderr();
  if (!error.empty()) {
    EXPECT_EQ(noted, "");
    return error;
  }
  return noted;
}

TEST(FollowedSchedule, WhatWouldNotPayStaysPlainUnlessAlways) {
  Schedule schedule{places(2), {shuffled("loop", 10, 2, 2)}};
  const TaskLoop loop{"loop", 10, 2, 0};
  const auto follows = [&](FollowOptions options, LoopData data) {
    const FollowedSchedule follow(schedule, options);
    return follow.lists_for(loop, 2, data) != nullptr;
  };
  const FollowOptions always{.always = true}, strict{.strict = true};
  EXPECT_TRUE(follows({}, LoopData::stays)) << "nothing is predicted";
  schedule.loops[0].predicted = {.plain_seconds = 1, .followed_seconds = 1.25};
  schedule.loops[0].predicted_packed = {.plain_seconds = 1, .followed_seconds = 0.5};
  testing::internal::CaptureStderr();
  EXPECT_FALSE(follows({}, LoopData::stays));
  EXPECT_FALSE(follows(strict, LoopData::stays)) << "it fits, so it is no error";
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "atoll: note: loop 'loop': by the schedule it is predicted to take 1.25 times its time, "
      "since its data isn't packed; it runs without (--always follows)\n");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(follows({}, LoopData::is_packed));
  EXPECT_TRUE(follows(always, LoopData::stays));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(FollowedSchedule, OneThatFitsSaysNothing) {
  Schedule right{places(2), {shuffled("loop", 10, 2, 2), shuffled("other", 99, 1, 2)}};
  EXPECT_EQ(said(right, false), "");
  EXPECT_EQ(said(right, true), "");
  EXPECT_EQ(said(right, true, "loop", 7), "") << "the schedule doesn't know the structure";
  right.loops[0].fingerprint = 7;
  EXPECT_EQ(said(right, true, "loop", 7), "");
  EXPECT_EQ(said(right, true, "loop", 0), "") << "the loop doesn't tell its structure";
}

TEST(FollowedSchedule, OneThatDoesNotFitSaysWhyInOneLineAndStrictlyItIsAnError) {
  const auto misfit = [](const Schedule& schedule, const char* name, std::uint64_t fingerprint,
                         const std::string& reason) {
    const std::string what = "loop '" + std::string(name) + "': the schedule " + reason;
    // each note is printed once per process, so the second call prints none
    EXPECT_EQ(said(schedule, false, name, fingerprint),
              "atoll: note: " + what + "; it runs without\n");
    EXPECT_EQ(said(schedule, true, name, fingerprint),
              what + "; make a schedule of this program's loop");
  };
  Schedule named{places(2), {shuffled("loop", 10, 2, 2)}};
  misfit(named, "pool", 0, "has no tasks of it");
  named.loops[0].fingerprint = 7;
  misfit(named, "loop", 8, "is for a loop of the same size whose structure is another");
  misfit({places(2), {shuffled("loop", 11, 2, 2)}}, "loop", 0,
         "is for 11 iterations, the loop has 10");
  misfit({places(2), {shuffled("loop", 10, 1, 2)}}, "loop", 0,
         "is for 1 iterations a task, the loop has 2");
  misfit({places(3), {shuffled("loop", 10, 2, 3)}}, "loop", 0, "is for 3 threads, the loop has 2");
  Schedule elsewhere{places(2), {shuffled("loop", 10, 2, 2)}};
  elsewhere.places[1].node = NodeId{0};
  misfit(elsewhere, "loop", 0, "has thread 1 on node 0, it is on node 1");
}

TEST(FollowedSchedule, OneThatIsNoneIsRefused) {
  Schedule twice{places(2), {shuffled("loop", 10, 2, 2)}};
  twice.loops[0].tasks[1] = twice.loops[0].tasks[0];
  EXPECT_THROW(FollowedSchedule{twice}, Error);
}

TEST(Fingerprint, TellsArraysApart) {
  const std::vector<std::uint32_t> a{1, 2, 3}, b{1, 2, 4}, none;
  EXPECT_EQ(fingerprint<std::uint32_t>(a), fingerprint<std::uint32_t>(std::vector(a)));
  EXPECT_NE(fingerprint<std::uint32_t>(a), fingerprint<std::uint32_t>(b));
  EXPECT_NE(fingerprint<std::uint32_t>(a, fingerprint<std::uint32_t>(b)),
            fingerprint<std::uint32_t>(b, fingerprint<std::uint32_t>(a)));
  EXPECT_NE(fingerprint<std::uint32_t>(none), 0U);
}

TEST(FollowedSchedule, OfAProcessThatWasGivenNoneIsNone) {
  EXPECT_EQ(inherited_schedule(), nullptr);
  const Machine machine = memory::four_node_machine();
  EXPECT_EQ(scheduled_places(machine, 3), spread_places(machine, 3));
}

TEST(ForEachTaskErrors, AChunkOfNoIterationIsRefused) {
  const Team team(places(1), Team::Runtime::std_threads, false);
  EXPECT_THROW(for_each_task(team, "loop", 10, 0, [](std::size_t) {}), Error);
}

TEST(ForEachTaskErrors, NobodyWatchesThisProcess) {
  EXPECT_EQ(process_task_observer(), nullptr);
}

}  // namespace
}  // namespace Atoll
