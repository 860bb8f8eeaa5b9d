// No plan is predicted to be slower than the unchanged program, or than any mapping that a plan can
// express. Tested on random profiles, with an independent evaluation of the predicted time.
#include <gtest/gtest.h>

#include "plan/page_map.hpp"
#include "profile/advise.hpp"
#include "profile/plan_object.hpp"
#include "profile/predict_plan.hpp"
#include "profile/thresholds.hpp"
#include "profile/what_if.hpp"
#include "profile_time_by_hand.hpp"

namespace Atoll::profile {
namespace {

/// Returns a run with few pages. Its objects have separate pages; some objects have no name.
SyntheticRun small_run(std::mt19937& random) {
  const auto threads = static_cast<std::uint32_t>(2 + random() % 20);
  SyntheticRun run(threads);
  const std::uint32_t objects = 1 + random() % 4;
  for (std::uint32_t object = 0; object < objects; ++object) {
    const std::uint64_t pages = 1 + random() % 12;
    run.object("make" + std::to_string(object), 10, pages * 4096);
    if (random() % 4 == 0) run.recording.objects[object].site = recording::kNone;
    const unsigned how = random() % 4;
    const std::uint64_t most = std::uint64_t{1} << random() % 12;
    const auto filler = static_cast<std::uint32_t>(random() % threads);
    for (std::uint64_t page = 0; page < pages; ++page) {
      if (random() % 2 == 0) run.touch_page(filler, object, page, 0, 1);
      const std::uint64_t users = how == 0 ? 1 : how == 1 ? threads : 1 + random() % threads;
      for (std::uint64_t i = 0; i < users; ++i)
        run.touch_page(
            static_cast<std::uint32_t>(how == 2 ? (page + i) % threads : random() % threads),
            object, page, 1 + random() % most, random() % 3);
    }
  }
  return run;
}

TEST(ProfilePlanSearch, NoPlanIsSlowerThanWhatItCouldHoldOrThanNoChange) {
  std::mt19937 random(2026);
  int changed = 0, moved = 0, doubted = 0;
  std::vector<Machine> machines;
  for (const char* name : {"xeon-x7550", "xeon-2x10", "opteron-8x8"})
    machines.push_back(without_level_3(name));
  for (int round = 0; round < 1000; ++round) {
    const SyntheticRun run = small_run(random);
    const Profile profile = run.build();
    const Machine& machine = machines[static_cast<std::size_t>(round % 3)];
    const Advice advice = advise(profile, machine);
    const ProgramPlan& plan = advice.plan;
    Places spread = places_of(profile, machine);
    const std::size_t nodes = spread.nodes.size();
    const auto object_of = [&](std::uint64_t page) { return run.object_at(0, page * kPageBytes); };
    const auto named = [&](std::uint64_t page) {
      return run.recording.objects[object_of(page)].site != recording::kNone;
    };

    const PredictedTime time(machine, spread.nodes);
    const auto row = [&](const Places& places, auto&& memory_of) {
      const PagesByNode pages = pages_by_node(profile, places);
      const MemoryTraffic memory = memory_traffic(profile, machine, places, pages);
      const auto rule = [&](std::size_t at, auto, std::span<double> shares) {
        const PageRow& of = pages.rows[at];
        const std::size_t home = places.nodes_of_threads[of.first_touch];
        shares[named(of.page) ? memory_of(of.page, home) : home] = 1;
      };
      return time.seconds(what_if(pages, run.recording.objects.size(), rule, &memory).timed,
                          memory);
    };
    const auto home = [](std::uint64_t, std::size_t node) { return node; };
    const double os = row(spread, home);
    const PagesByNode pages = pages_by_node(profile, spread);
    const std::vector<std::uint32_t> balanced = balanced_nodes(pages, spread);
    const auto row_of = [&](std::uint64_t page) {
      return static_cast<std::size_t>(
          std::ranges::lower_bound(pages.rows, page, {}, &PageRow::page) - pages.rows.begin());
    };
    double best = std::min(os, row(compact_places_of(profile, machine), home));
    best = std::min(best, row(spread, [&](std::uint64_t page, std::size_t) {
                      return (page - run.first_page(object_of(page))) % nodes;
                    }));
    best = std::min(
        best, row(spread, [&](std::uint64_t page, std::size_t) {
          const auto counts = pages.of(row_of(page));
          return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
        }));
    best = std::min(best, row(spread, [&](std::uint64_t page, std::size_t) -> std::size_t {
                      return balanced[row_of(page)];
                    }));

    ASSERT_EQ(plan.before->time, 1);
    if (!plan.bind_threads && plan.objects.empty()) {
      if (!advice.gain.empty()) {
        ++doubted;
        continue;
      }
      ASSERT_GE(best / os, 1 - kMinGain - 1e-9) << round;
      continue;
    }
    ++changed;
    if (plan.objects.empty()) ++moved;
    ASSERT_LE(plan.after->time * os / best, 1.03 + 1e-9) << round;
    ASSERT_LE(plan.after->time, 1 - kMinGain + 1e-9) << round;
  }
  EXPECT_GT(changed, 100);
  EXPECT_GT(moved, 5);
  EXPECT_GT(doubted, 5);
}

TEST(ProfilePlanSearch, EveryPartOfAPlanSavesTimeByItself) {
  std::mt19937 random(2027);
  const Machine machine = without_level_3("xeon-x7550");
  int parts = 0, bound = 0;
  for (int round = 0; round < 400; ++round) {
    const Profile profile = small_run(random).build();
    const ProgramPlan plan = advise(profile, machine).plan;
    const double whole = predict_plan(plan, profile, machine).after.time;
    const auto is_slower = [&](const ProgramPlan& without) {
      return predict_plan(without, profile, machine).after.time >= whole * (1 - 1e-6);
    };
    for (std::size_t i = 0; i < plan.objects.size(); ++i) {
      ProgramPlan without = plan;
      without.objects.erase(without.objects.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(is_slower(without)) << round << ", " << plan.objects[i].name;
      ++parts;
    }
    if (!plan.bind_threads) continue;
    ProgramPlan without = plan;
    without.bind_threads = false;
    without.threads.clear();
    EXPECT_TRUE(is_slower(without)) << round << ", threads";
    ++bound;
  }
  EXPECT_GT(parts, 50);
  EXPECT_GT(bound, 5);
}

TEST(ProfilePredictPlan, OnItsOwnRunIsWhatAdviceSays) {
  const Machine machine = without_level_3("xeon-x7550");
  for (const SyntheticRun& run : {master_touched(), hashsieve_like(), pipeline(16)}) {
    const Profile profile = run.build();
    const ProgramPlan plan = advise(profile, machine).plan;
    const PlanOnRun on = predict_plan(plan, profile, machine);
    EXPECT_EQ(on.recognised, plan.objects.size());
    EXPECT_TRUE(on.missing.empty());
    EXPECT_NEAR(on.before.local_share, plan.before->local_share, 1e-9);
    EXPECT_NEAR(on.after.local_share, plan.after->local_share, 1e-9);
    EXPECT_NEAR(on.after.busiest_share, plan.after->busiest_share, 1e-9);
    EXPECT_NEAR(on.after.time, plan.after->time, 1e-9);
  }
}

TEST(ProfilePredictPlan, AnotherSizeIsDividedInProportion) {
  const Machine machine = without_level_3("xeon-x7550");
  const ProgramPlan plan = advise(master_touched().build(), machine).plan;
  ASSERT_FALSE(plan.objects.empty());
  const PlanOnRun on = predict_plan(plan, master_touched(16, 32).build(), machine);
  EXPECT_EQ(on.recognised, 1U);
  EXPECT_EQ(on.threads, 16U);
  EXPECT_LT(on.before.local_share, 0.3);
  EXPECT_GT(on.after.local_share, 0.95);
}

TEST(ProfilePredictPlan, WhatFitsOneRunOnlyShows) {
  // In the second run, threads process the parts in reverse order, and the array has another
  // address.
  const Machine machine = without_level_3("xeon-x7550");
  const ProgramPlan plan = advise(master_touched().build(), machine).plan;
  SyntheticRun backwards(16);
  const std::uint32_t data = backwards.object("make_data", 33, 1024 * 4096);
  for (std::uint32_t page = 0; page < 1024; ++page) {
    backwards.touch(0, data, page * 4096, 0, 64, 1);
    backwards.touch(15 - page / 64, data, page * 4096 + 64, 500, 100, 0xffffe);
  }
  const PlanOnRun on = predict_plan(plan, backwards.build(), machine);
  EXPECT_EQ(on.recognised, 1U);
  EXPECT_LT(on.after.local_share, 0.1);
  backwards.recording.sites[backwards.recording.objects[data].site].frames.front() = {
      .function = "make_other", .file = "src/other.cpp", .line = 9, .module = "/usr/bin/synthetic"};
  const PlanOnRun elsewhere = predict_plan(plan, backwards.build(), machine);
  EXPECT_EQ(elsewhere.missing, std::vector<std::string>{"make_data"});
  EXPECT_NEAR(elsewhere.after.local_share, elsewhere.before.local_share, 1e-9);
}

}  // namespace
}  // namespace Atoll::profile
