// Programs with their own parallel loops (OpenMP, oneTBB) between and around Atoll's loops. Threads
// that Atoll didn't create read the nearest copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <sched.h>

#include <atomic>
#include <functional>
#include <thread>

#include "atoll/parallel/for_each.hpp"

/// Suppressions for ThreadSanitizer: it doesn't see the synchronization in the packaged oneTBB, and
/// libomp doesn't join the threads that it started for a oneTBB thread.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libtbb\nthread:libomp\n";
}

namespace Atoll {
namespace {

constexpr std::size_t kSize = 200'000;
using Range = tbb::blocked_range<std::size_t>;

class Interoperation : public testing::TestWithParam<Team::Runtime> {
 protected:
  /// 2 Σ i for i below kSize: the expected result of each test program.
  static constexpr double kSum = static_cast<double>(kSize) * (kSize - 1);

  double atoll_sum(const Array<double>& array) const {
    return reduce_chunks(
        team_, array, LoopSchedule::dynamic, 0.0,
        [&](std::size_t begin, std::size_t end) {
          const auto local = array.local();
          double sum = 0;
          for (std::size_t i = begin; i < end; ++i) sum += local[i];
          return sum;
        },
        std::plus<>());
  }
  void atoll_double(Array<double>& array) const {
    for_each(team_, array, LoopSchedule::dynamic,
             [x = array.master().data()](std::size_t i) { x[i] *= 2; });
    array.sync();
  }
  std::vector<Layout> layouts() const {
    const NodeId node = machine_.memories().front().id;
    return {{SingleNode{node}},
            {Distributed{{node}, 2 << 20}},
            {Partitioned{{node, node, node}}},
            {Replicated{{node, node}}}};
  }

  // Must be initialized before the team. oneTBB counts the processing units that its first calling
  // thread may use, and a team binds its creator to one unit.
  const tbb::global_control workers_{
      tbb::global_control::max_allowed_parallelism,
      static_cast<std::size_t>(tbb::info::default_concurrency()) + 2};
  const Machine machine_ = Machine::this_computer();
  const Team team_{spread_places(machine_, 3), GetParam()};
  const memory::Context context_{machine_, team_};
};

TEST_P(Interoperation, AnOpenMpProgramBetweenAtollsLoops) {
  for (const Layout& layout : layouts()) {
    Array<double> array(context_, kSize, layout);
    double* const x = array.master().data();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < kSize; ++i) x[i] = static_cast<double>(i);
    array.sync();
    atoll_double(array);
    double sum = 0;
#pragma omp parallel for num_threads(4) schedule(dynamic, 100) reduction(+ : sum)
    for (std::size_t i = 0; i < kSize; ++i) sum += array.get(i);
    EXPECT_EQ(sum, kSum);
    EXPECT_EQ(atoll_sum(array), kSum);
  }
}

TEST_P(Interoperation, OpenMpLoopsWithinAtollsLoops) {
  std::atomic<std::size_t> sum{0};
  for_each(team_, 8, LoopSchedule::dynamic, [&](std::size_t) {
    std::size_t part = 0;
#pragma omp parallel for reduction(+ : part)
    for (std::size_t i = 0; i < 1000; ++i) part += i;
    sum += part;
  });
  EXPECT_EQ(sum, 8U * 499'500);
}

TEST_P(Interoperation, AtollsLoopsWithinAnOpenMpRegion) {
  Array<double> array(context_, kSize, Layout{});
  array.fill(1);
  double sum = 0;
  int refused = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
      try {
        sum = atoll_sum(array);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("within an OpenMP parallel region"));
        EXPECT_THAT(error.what(), testing::HasSubstr("make the team of std_threads"));
        ++refused;
      }
    }
  }
  EXPECT_EQ(refused, GetParam() == Team::Runtime::openmp ? 1 : 0);
  EXPECT_EQ(sum, GetParam() == Team::Runtime::openmp ? 0 : kSize);
  EXPECT_EQ(atoll_sum(array), kSize);
}

TEST_P(Interoperation, ATbbProgramBetweenAtollsLoops) {
  for (const Layout& layout : layouts()) {
    Array<double> array(context_, kSize, layout);
    double* const x = array.master().data();
    tbb::parallel_for(Range(0, kSize), [&](const Range& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) x[i] = static_cast<double>(i);
    });
    array.sync();
    atoll_double(array);
    const double sum = tbb::parallel_reduce(
        Range(0, kSize), 0.0,
        [&](const Range& range, double part) {
          const auto local = array.local();
          for (std::size_t i = range.begin(); i < range.end(); ++i) part += local[i];
          return part;
        },
        std::plus<>());
    EXPECT_EQ(sum, kSum);
    EXPECT_EQ(atoll_sum(array), kSum);
  }
}

TEST_P(Interoperation, TbbLoopsWithinAtollsLoops) {
  std::atomic<std::size_t> sum{0};
  for_each(team_, 8, LoopSchedule::dynamic, [&](std::size_t) {
    sum += tbb::parallel_reduce(
        Range(0, 1000), std::size_t{0},
        [](const Range& range, std::size_t part) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) part += i;
          return part;
        },
        std::plus<>());
  });
  EXPECT_EQ(sum, 8U * 499'500);
}

TEST_P(Interoperation, AtollsLoopsWithinTbbTasks) {
  Array<double> array(context_, kSize, Layout{});
  array.fill(1);
  tbb::task_arena arena(2, 0);  // the arena has no slot for this thread, so workers run the tasks
  std::atomic<double> sum{0};
  tbb::task_group one;
  arena.execute([&] { one.run([&] { sum = atoll_sum(array); }); });
  arena.execute([&] { one.wait(); });
  EXPECT_EQ(sum, kSize);

  // Many concurrent loops: each is executed or refused, without deadlock.
  std::atomic<int> done{0}, refused{0};
  arena.execute([&] {
    tbb::parallel_for(0, 16, [&](int) {
      try {
        EXPECT_EQ(atoll_sum(array), kSize);
        ++done;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("one at a time"));
        ++refused;
      }
    });
  });
  EXPECT_EQ(done + refused, 16);
  EXPECT_GE(done, 1);
}

TEST_P(Interoperation, AThreadThatCallsALoopKeepsItsAffinity) {
  std::thread([&] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    std::atomic<int> calls{0};
    for_each(team_, 3 * kLoopChunk, LoopSchedule::fixed, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, 3 * static_cast<int>(kLoopChunk));
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
    EXPECT_EQ(current_place().thread, -1);
  }).join();
}

TEST_P(Interoperation, ThreadsOfOthersKnowTheirNode) {
  for (const Processor& processor : machine_.processors())
    std::thread([&] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(processor.os_index), &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      EXPECT_EQ(current_place().node, processor.node);
      EXPECT_EQ(current_place().thread, -1);
    }).join();
}

INSTANTIATE_TEST_SUITE_P(Runtimes, Interoperation,
                         testing::Values(Team::Runtime::openmp, Team::Runtime::std_threads),
                         [](const auto& runtime) {
                           return runtime.param == Team::Runtime::openmp ? "openmp" : "std_threads";
                         });

}  // namespace
}  // namespace Atoll
