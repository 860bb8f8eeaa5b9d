// Team: each thread runs once, knows its place and is pinned to it; exceptions are propagated.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll {
namespace {

ThreadPlaces places_on_allowed_units(std::size_t threads) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<int> units;
  for (int pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(pu, &set)) units.push_back(pu);
  ThreadPlaces places;
  for (std::size_t i = 0; i < threads; ++i)
    places.push_back({units[i % units.size()], NodeId{static_cast<std::uint32_t>(i)}});
  return places;
}

class TeamTest : public testing::TestWithParam<Team::Runtime> {};

TEST_P(TeamTest, RunsEachThreadOnceAtItsPlace) {
  const Team team(places_on_allowed_units(4), GetParam());
  for (int round = 0; round < 50; ++round) {
    std::vector<std::atomic<int>> runs(4);
    std::vector<CurrentPlace> seen(4);
    std::vector<int> pu(4);
    team.run([&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      ++runs[t];
      seen[t] = current_place();
      pu[t] = sched_getcpu();
    });
    for (std::size_t t = 0; t < 4; ++t) {
      EXPECT_EQ(runs[t], 1);
      EXPECT_EQ(seen[t].thread, static_cast<int>(t));
      EXPECT_EQ(seen[t].node, NodeId{static_cast<std::uint32_t>(t)});
      EXPECT_EQ(pu[t], team.places()[t].pu);
    }
  }
  EXPECT_EQ(current_place().thread, -1);
}

TEST_P(TeamTest, ThrowsTheFirstExceptionAgainAndGoesOn) {
  const Team team(places_on_allowed_units(3), GetParam());
  EXPECT_THROW(team.run([](int thread) {
    if (thread == 1) throw std::runtime_error("one");
  }),
               std::runtime_error);
  std::atomic<int> runs{0};
  team.run([&](int) { ++runs; });
  EXPECT_EQ(runs, 3);
}

TEST_P(TeamTest, RefusesARunWithinARun) {
  const Team team(places_on_allowed_units(2), GetParam());
  EXPECT_THROW(team.run([&](int) { team.run([](int) {}); }), Error);
}

TEST_P(TeamTest, AThreadThatDidNotMakeItRunsItAndIsPutBack) {
  const Team team(places_on_allowed_units(3), GetParam());
  std::thread([&] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    for (int round = 0; round < 3; ++round) {
      std::vector<int> pu(3, -1);
      team.run([&](int thread) { pu[static_cast<std::size_t>(thread)] = sched_getcpu(); });
      for (std::size_t t = 0; t < 3; ++t) EXPECT_EQ(pu[t], team.places()[t].pu);
      ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
      EXPECT_TRUE(CPU_EQUAL(&before, &after));
    }
  }).join();
}

TEST_P(TeamTest, TheNodeBetweenRunsIsTheTeamsAfterItTheSystems) {
  {
    const Team team({{places_on_allowed_units(1)[0].pu, NodeId{5}}}, GetParam());
    EXPECT_EQ(current_place().node, NodeId{5});
    std::thread([] { EXPECT_NE(current_place().node, NodeId{5}); }).join();
  }
  EXPECT_NE(current_place().node, NodeId{5});
}

TEST_P(TeamTest, GivesTheCallersAffinityBack) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  { const Team team(places_on_allowed_units(2), GetParam()); }
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST_P(TeamTest, TwoTeamsTakeTurns) {
  const Team one(places_on_allowed_units(2), GetParam());
  const Team two(places_on_allowed_units(3), GetParam());
  for (int round = 0; round < 5; ++round)
    for (const Team* team : {&one, &two}) {
      std::vector<int> pu(3, -1);
      team->run([&](int thread) { pu[static_cast<std::size_t>(thread)] = sched_getcpu(); });
      for (int t = 0; t < team->size(); ++t)
        EXPECT_EQ(pu[static_cast<std::size_t>(t)], team->places()[static_cast<std::size_t>(t)].pu);
    }
}

TEST_P(TeamTest, AForkedChildIsRefusedAndCanEnd) {
  auto team = std::make_unique<Team>(places_on_allowed_units(3), GetParam());
  team->run([](int) {});
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    int code = 1;
    try {
      team->run([](int) {});
    } catch (const Error& error) {
      code = std::string(error.what()).find("child of fork()") != std::string::npos ? 0 : 2;
    }
    team.reset();  // the child has no threads to join
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  std::atomic<int> runs{0};
  team->run([&](int) { ++runs; });
  EXPECT_EQ(runs, 3);
}

TEST_P(TeamTest, AForkedChildRunsATeamOfOneThread) {
  const Team team(places_on_allowed_units(1), GetParam());
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    int runs = 0;
    team.run([&](int) { ++runs; });
    ::_exit(runs == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_P(TeamTest, RefusesMoreThreadsThanTheRuntimeStands) {
  EXPECT_THROW(Team(places_on_allowed_units(100'000), GetParam(), false), Error);
}

TEST_P(TeamTest, RefusesAUnitThatIsNotThere) {
  EXPECT_THROW(Team({{0, NodeId{0}}, {8000, NodeId{0}}}, GetParam()), Error);
  EXPECT_THROW(Team({}, GetParam()), Error);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, TeamTest,
                         testing::Values(Team::Runtime::openmp, Team::Runtime::std_threads),
                         [](const auto& runtime) {
                           return runtime.param == Team::Runtime::openmp ? "openmp" : "std_threads";
                         });

}  // namespace
}  // namespace Atoll
