// Loops on real threads: each index runs once, results don't depend on the threads. Also
// exceptions, extreme sizes, and calls that would deadlock.
#include "atoll/parallel/for_each.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "fake_backend.hpp"

namespace Atoll {
namespace {

constexpr std::size_t kMaxSize = ~std::size_t{0};

struct Case {
  Team::Runtime runtime;
  LoopSchedule schedule;
};

class ForEach : public testing::TestWithParam<Case> {
 protected:
  /// Unpinned threads on nodes 0 and 1 of the four-node machine.
  static Team team(int threads) {
    ThreadPlaces places = spread_places(memory::four_node_machine(), threads);
    return Team(std::move(places), GetParam().runtime, false);
  }
  static LoopSchedule schedule() { return GetParam().schedule; }

  /// Returns the error's text; empty if the call succeeds.
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::failed);
      return error.what();
    }
    return "";
  }
};

TEST_P(ForEach, ATeamThatIsAskedToStopEndsItsLoopsAtTheNextChunk) {
  const Team team = ForEach::team(3);
  std::atomic<std::size_t> chunks{0};
  const auto loop = [&] {
    for_each_chunk(team, 1'000'000, schedule(), [&](std::size_t, std::size_t) {
      ++chunks;
      team.request_stop();
    });
  };
  EXPECT_THROW(loop(), Stopped);
  EXPECT_LE(chunks, 3U) << "each thread ends the chunk that it is at";
  EXPECT_THROW(team.check_stop(), Stopped);
  EXPECT_THROW(loop(), Stopped) << "what comes later stops too";
  team.forget_stop();
  EXPECT_NO_THROW(team.check_stop());
  EXPECT_NO_THROW(for_each(team, 5000, schedule(), [](std::size_t) {}));
}

TEST_P(ForEach, EveryIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    const Team team = ForEach::team(threads);
    for (const std::size_t size : {0, 1, 1023, 1024, 1025, 4097, 100'000}) {
      std::vector<std::atomic<int>> runs(size);
      for_each(team, size, schedule(), [&](std::size_t i) { ++runs[i]; });
      for (const auto& count : runs) ASSERT_EQ(count, 1);
    }
  }
}

TEST_P(ForEach, EveryElementOfEveryLayoutOnce) {
  const Machine machine = memory::four_node_machine();
  const Team team = ForEach::team(3);
  memory::FakeBackend fake(memory::four_nodes(1 << 16));
  const std::vector<NodeId> nodes{NodeId{1}, NodeId{0}, NodeId{3}};
  for (const Layout& layout : {Layout{SingleNode{nodes[0]}}, Layout{Partitioned{nodes}},
                               Layout{Distributed{nodes, 2 << 20}}, Layout{Replicated{nodes}}}) {
    Array<std::uint64_t> array({machine, team, fake}, 1'234'567, layout);
    array.fill(1);
    for_each_chunk(team, array, schedule(), [&](std::size_t begin, std::size_t end) {
      const auto x = array.master();
      for (std::size_t i = begin; i < end; ++i) x[i] += i;
    });
    array.sync();
    const auto sum = reduce_chunks(
        team, array, schedule(), std::uint64_t{0},
        [&](std::size_t begin, std::size_t end) {
          const auto x = array.local().subspan(begin, end - begin);
          return std::accumulate(x.begin(), x.end(), std::uint64_t{0});
        },
        std::plus<>());
    EXPECT_EQ(sum, array.size() * (array.size() + 1) / 2) << to_string(layout);
  }
}

TEST_P(ForEach, AReductionHasTheSameBitsOnAnyTeam) {
  const std::size_t size = 1'000'001;
  const auto body = [](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += 1 / (static_cast<double>(i) + 1);
    return sum;
  };
  double expected = 0;
  for (std::size_t begin = 0; begin < size; begin += kLoopChunk)
    expected += body(begin, std::min(size, begin + kLoopChunk));
  for (const int threads : {1, 2, 3, 7}) {
    const Team team = ForEach::team(threads);
    for (int round = 0; round < 5; ++round)
      EXPECT_EQ(reduce_chunks(team, size, schedule(), 0.0, body, std::plus<>()), expected);
  }
}

TEST_P(ForEach, AReductionCombinesInOrder) {
  const Team team = ForEach::team(4);
  const auto order = reduce_chunks(
      team, 50'000, schedule(), std::vector<std::size_t>{},
      [](std::size_t begin, std::size_t end) {
        return std::vector{begin, end};
      },
      [](std::vector<std::size_t> all, const std::vector<std::size_t>& more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
      });
  std::vector<std::size_t> expected;
  for (std::size_t begin = 0; begin < 50'000; begin += kLoopChunk) {
    expected.push_back(begin);
    expected.push_back(std::min<std::size_t>(50'000, begin + kLoopChunk));
  }
  EXPECT_EQ(order, expected);
  EXPECT_TRUE(reduce_chunks(
      team, 50'000, schedule(), true, [](std::size_t, std::size_t) { return true; },
      std::logical_and<>()));
  EXPECT_EQ(reduce_chunks(
                team, 0, schedule(), 42, [](std::size_t, std::size_t) { return 1; }, std::plus<>()),
            42);
}

TEST_P(ForEach, ThreadsBeyondTheChunksStayIdle) {
  const Team team = ForEach::team(8);
  std::atomic<int> calls{0};
  for_each_chunk(team, 2 * kLoopChunk, schedule(), [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST_P(ForEach, AnExceptionEndsALoopThatWouldNotEnd) {
  const Team team = ForEach::team(3);
  std::atomic<std::size_t> calls{0};
  EXPECT_THROW(for_each_chunk(team, kMaxSize, schedule(),
                              [&](std::size_t begin, std::size_t end) {
                                EXPECT_LT(begin, end);
                                ++calls;
                                if (begin == 0) throw std::out_of_range("first");
                              }),
               std::out_of_range);
  EXPECT_GE(calls, 1U);
  std::atomic<std::size_t> sum{0};
  for_each(team, 10'000, schedule(), [&](std::size_t i) { sum += i; });
  EXPECT_EQ(sum, 10'000U * 9'999 / 2);
}

TEST_P(ForEach, SizesAtTheLimit) {
  const Team team = ForEach::team(2);
  for (const std::size_t size :
       {kMaxSize, kMaxSize - 1, kMaxSize - kLoopChunk + 1, kMaxSize - kLoopChunk}) {
    const LoopRange range(size);
    EXPECT_EQ(range.end_of(range.chunks() - 1), size);
    EXPECT_EQ(range.begin_of(range.chunks() - 1), (size - 1) / kLoopChunk * kLoopChunk);
    EXPECT_EQ(range.end_of(0), kLoopChunk);
  }
  using Large = std::array<double, 4096>;
  EXPECT_THAT(
      error_of([&] {
        static_cast<void>(reduce_chunks(
            team, kMaxSize, schedule(), Large{}, [](std::size_t, std::size_t) { return Large{}; },
            [](const Large& a, const Large&) { return a; }));
      }),
      testing::AllOf(testing::HasSubstr("18014398509481984 chunks"),
                     testing::HasSubstr("in parts")));
}

TEST_P(ForEach, ALoopWithinALoopIsRefused) {
  const Machine machine = memory::four_node_machine();
  const Team team = ForEach::team(2), other = ForEach::team(2);
  memory::FakeBackend fake(memory::four_nodes(1 << 10));
  Array<int> array({machine, team, fake}, 5000, Layout{});
  const std::vector<std::function<void()>> within = {
      [&] { for_each(team, 10, schedule(), [](std::size_t) {}); },
      [&] { for_each(other, 10, schedule(), [](std::size_t) {}); }, [&] { array.fill(1); },
      [&] {
        static_cast<void>(reduce_chunks(
            team, 10, schedule(), 0, [](std::size_t, std::size_t) { return 0; }, std::plus<>()));
      }};
  for (const auto& inner : within)
    EXPECT_THAT(error_of([&] { for_each(team, 5000, schedule(), [&](std::size_t) { inner(); }); }),
                testing::HasSubstr("within another one; make one loop of the two"));
}

TEST_P(ForEach, TwoThreadsCannotLoopOnOneTeamAtOnce) {
  const Team team = ForEach::team(2);
  std::atomic<int> refused{0}, stage{0};
  std::thread other([&] {
    while (stage == 0) std::this_thread::yield();
    EXPECT_THAT(error_of([&] { for_each(team, 10, schedule(), [](std::size_t) {}); }),
                testing::HasSubstr("make a team for each thread"));
    ++refused;
    stage = 2;
  });
  for_each(team, 1, schedule(), [&](std::size_t) {
    stage = 1;
    while (stage == 1) std::this_thread::yield();
  });
  other.join();
  EXPECT_EQ(refused, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, ForEach,
    testing::Values(Case{Team::Runtime::openmp, LoopSchedule::fixed},
                    Case{Team::Runtime::openmp, LoopSchedule::dynamic},
                    Case{Team::Runtime::std_threads, LoopSchedule::fixed},
                    Case{Team::Runtime::std_threads, LoopSchedule::dynamic}),
    [](const auto& kind) {
      return std::string(kind.param.runtime == Team::Runtime::openmp ? "openmp" : "std_threads") +
             (kind.param.schedule == LoopSchedule::fixed ? "_fixed" : "_dynamic");
    });

}  // namespace
}  // namespace Atoll
