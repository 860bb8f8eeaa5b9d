// Advice: reference cases of the paper's methodology [hashsieve §VI.C], and plans whose predicted
// effect is checked.
#include <gmock/gmock.h>

#include <numeric>

#include "plan/group_threads.hpp"
#include "profile/advise.hpp"
#include "profile/plan_object.hpp"
#include "profile/thresholds.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

Machine four_nodes() {
  return without_level_3("xeon-x7550");
}

/// Returns a pipeline whose thread numbers are permuted, except for the first thread.
SyntheticRun shuffled_pipeline(std::uint32_t threads) {
  SyntheticRun run(threads);
  std::vector<std::uint32_t> order(threads);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::shuffle(order, std::mt19937(5));
  const std::uint32_t buffers = run.object("make_queues", 77, threads * 4 * 4096);
  for (std::uint32_t i = 0; i + 1 < threads; ++i)
    for (std::uint64_t line = 0; line < 64; line += 4) {
      run.touch(order[i], buffers, i * 4 * 4096 + line * 64, 0, 100);
      run.touch(order[i + 1], buffers, i * 4 * 4096 + line * 64, 100, 0);
    }
  return run;
}

std::vector<Action> actions_of(const Advice& advice) {
  std::vector<Action> actions;
  for (const Recommendation& one : advice.recommendations) actions.push_back(one.action);
  return actions;
}

TEST(ProfileAdvise, HashSieveIsInterleaved) {  // unstructured, 62 % exclusive
  const Advice advice = advise(hashsieve_like().build(), four_nodes());
  EXPECT_EQ(actions_of(advice), std::vector<Action>{Action::interleave});
  EXPECT_FALSE(advice.plan.bind_threads);
  ASSERT_EQ(advice.plan.objects.size(), 1U);
  const PlannedObject& tables = advice.plan.objects[0];
  EXPECT_EQ(tables.name, "allocate_tables");
  EXPECT_TRUE(std::holds_alternative<Distributed>(tables.layout.where));
  EXPECT_NEAR(advice.plan.before->busiest_share, 0.47, 0.02);
  EXPECT_LT(advice.plan.after->busiest_share, 0.27);
  EXPECT_GE(advice.plan.after->local_share, advice.plan.before->local_share - 0.02);
}

TEST(ProfileAdvise, ExclusivePagesGoToTheirNodes) {
  const SyntheticRun run = master_touched();
  const Advice advice = advise(run.build(), four_nodes());
  EXPECT_EQ(actions_of(advice), std::vector<Action>{Action::locality});
  EXPECT_TRUE(advice.plan.bind_threads);
  EXPECT_EQ(advice.plan.threads.size(), 16U);
  ASSERT_EQ(advice.plan.objects.size(), 1U);
  const std::vector<PageRun> quarters{
      {256, NodeId{0}}, {512, NodeId{1}}, {768, NodeId{2}}, {1024, NodeId{3}}};
  EXPECT_EQ(advice.plan.objects[0].runs, quarters);
  EXPECT_LT(advice.plan.before->local_share, 0.3);
  EXPECT_GT(advice.plan.after->local_share, 0.95);
  EXPECT_NEAR(advice.plan.after->busiest_share, 0.25, 0.01);
}

TEST(ProfileAdvise, APlanTellsArraysOfOneLineApart) {
  SyntheticRun run(64);
  for (const std::uint64_t pages : {1024, 2048}) {
    const std::uint32_t data = run.object("setup", 7, pages * 4096);
    for (std::uint64_t page = 0; page < pages; ++page) {
      run.touch(0, data, page * 4096, 0, 64, 1);
      run.touch(static_cast<std::uint32_t>(page * 64 / pages), data, page * 4096, 500, 100,
                0xffffe);
    }
  }
  const Advice advice = advise(run.build(), four_nodes());
  std::vector<std::string> names;
  for (const PlannedObject& object : advice.plan.objects) names.push_back(object.name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("setup (1st of 2, 4 MiB)", "setup (2nd of 2, 8 MiB)"));
}

// Uses 8 threads. 64 threads are limited by this machine's memories rather than by links, because
// all sockets are directly connected. Mapping them gains less than 5 %.
TEST(ProfileAdvise, StructuredCommunicationMapsThreads) {
  const Profile profile = shuffled_pipeline(8).build();
  const Advice advice = advise(profile, four_nodes());
  EXPECT_EQ(advice.recommendations[0].action, Action::map_threads) << advice.why;
  EXPECT_TRUE(advice.plan.bind_threads);
  ASSERT_EQ(advice.plan.threads.size(), 8U);
  std::vector<std::uint32_t> node_of;
  std::map<std::uint32_t, int> threads_on;
  for (const PlannedThread& thread : advice.plan.threads) {
    node_of.push_back(thread.node.value);
    ++threads_on[thread.node.value];
  }
  EXPECT_GT(inside_share(communication_of(profile), node_of), 0.57);  // four of the seven pairs
  for (const auto& [node, threads] : threads_on) EXPECT_EQ(threads, 2) << node;
  EXPECT_GT(advice.plan.after->local_share, advice.plan.before->local_share + 0.2);
}

TEST(ProfileAdvise, WhatLiesWellIsLeftAlone) {
  const Advice advice = advise(private_blocks().build(), four_nodes());
  EXPECT_EQ(actions_of(advice), std::vector<Action>{Action::nothing});
  EXPECT_FALSE(advice.plan.bind_threads);
  EXPECT_TRUE(advice.plan.objects.empty());
  EXPECT_EQ(advice.plan.before, advice.plan.after);
}

TEST(ProfileAdvise, SharedAndBalancedIsLeftAlone) {
  SyntheticRun run(64);
  const std::uint32_t table = run.object("f", 1, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i)
      run.touch(static_cast<std::uint32_t>((page + i) % 64), table, page * 4096 + i * 64, 9, 9);
  EXPECT_EQ(actions_of(advise(run.build(), four_nodes())), std::vector<Action>{Action::nothing});
}

TEST(ProfileAdvise, ReadOnlySharedMemoryWantsCopies) {
  SyntheticRun run(64);
  const std::uint32_t table = run.object("load_table", 5, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page) {
    run.touch(0, table, page * 4096, 0, 64);
    for (std::uint32_t i = 0; i < 64; ++i) run.touch(i, table, page * 4096 + i * 64, 100, 0);
  }
  const Advice advice = advise(run.build(), four_nodes());
  EXPECT_EQ(actions_of(advice), (std::vector<Action>{Action::interleave, Action::annotate}));
  EXPECT_NE(advice.recommendations[1].text.find("Atoll::Array"), std::string::npos);
  ASSERT_EQ(advice.plan.objects.size(), 1U);
}

/// Four threads: the first one initializes pages, which thread 1 passes to thread 2.
SyntheticRun producer_and_consumer() {
  SyntheticRun run(4);
  const std::uint32_t buffer = run.object("make_buffer", 8, 8 * 4096);
  for (std::uint64_t line = 0; line < 8 * 64; ++line) {
    run.touch(0, buffer, 64 * line, 0, 1);
    run.touch(1, buffer, 64 * line, 0, 100);
    run.touch(2, buffer, 64 * line, 100, 0);
  }
  return run;
}

TEST(ProfileAdvise, OnePairThatCommunicatesGoesToOneNode) {
  const Advice advice = advise(producer_and_consumer().build(), four_nodes());
  EXPECT_EQ(advice.summary.verdict()[0],
            "Bind the threads near each other: 0 % of the memory traffic is local, 100 % possible, "
            "in 23 % less time.");
  EXPECT_EQ(advice.summary.verdict()[1],
            "Only threads 1 and 2 communicate: they are on different nodes.");
  EXPECT_THAT(advice.summary.verdict().back(),
              testing::EndsWith("; 0 % of it is local, at best 100 % (all threads on neighbouring "
                                "cores)."));
  // If all four threads are on the node where the first thread initialized the buffer, no page has
  // to move. Placing only the pair together takes the same time, if the buffer is moved to the
  // pair.
  EXPECT_EQ(actions_of(advice), std::vector<Action>{Action::map_threads});
  ASSERT_EQ(advice.plan.threads.size(), 4U);
  EXPECT_EQ(advice.plan.threads[1].node, advice.plan.threads[2].node);
  EXPECT_GT(advice.plan.after->local_share, 0.9);
}

TEST(ProfileAdvise, NoMappingIsNamedWhereNoneIsBetter) {
  EXPECT_THAT(summarise(private_blocks().build(), four_nodes()).verdict().back(),
              testing::EndsWith("; 100 % of it is local, at best 100 %."));
}

TEST(ProfileAdvise, APairOfWhichEachHasItsPagesStaysApart) {
  SyntheticRun run = master_touched(2, 64);
  for (std::uint64_t page = 0; page < 128; ++page)
    run.touch(page < 64, 0, page * 4096, 200, 0, 0xfffff);
  const Advice advice = advise(run.build(), four_nodes());
  EXPECT_EQ(advice.summary.verdict()[1],
            "Only threads 0 and 1 communicate: most of what each uses is its own.");
  // Either the threads are on different nodes, each with its own pages, or both on the node with
  // all pages. One memory suffices for two threads, so both plans take the same time.
  EXPECT_TRUE(advice.plan.bind_threads);
  EXPECT_GT(advice.plan.after->local_share, 0.9);
  EXPECT_LE(advice.plan.after->time, advice.summary.outcome(Mapping::locality).time);
}

TEST(ProfileAdvise, APairOnOneNodeIsLeftThere) {
  const Summary summary = summarise(producer_and_consumer().build(), Machine::open("pu:4"));
  EXPECT_EQ(summary.verdict()[0], "Only threads 1 and 2 communicate: they are on one node.");
}

TEST(ProfileAdvise, ThreadsThatBelongTogetherOnlyAllAtOnce) {
  SyntheticRun run(4);
  const std::uint32_t counters = run.object("make_counters", 9, 64);
  for (std::uint32_t i = 0; i < 4; ++i) run.touch(i, counters, 0, 900, 900);
  const std::vector<std::string> verdict = summarise(run.build(), four_nodes()).verdict();
  EXPECT_EQ(verdict[0],
            "Communication is unstructured: no group of threads belongs together (structure score "
            "0.00: groups keep so much more of it inside than random groups would).");
  EXPECT_THAT(verdict.back(), testing::EndsWith("at best 100 % (all threads on neighbouring "
                                                "cores)."));
}

TEST(ProfileAdvise, FalselySharedLinesWantPadding) {
  SyntheticRun run(4);
  const std::uint32_t counters = run.object("make_counters", 9, 64);
  for (std::uint32_t i = 0; i < 4; ++i) run.touch(i, counters, 8 * i, 900, 900);
  const std::uint32_t own = run.object("make_own", 10, 4096);
  run.touch(0, own, 0, 100, 0);
  const Advice advice = advise(run.build(), four_nodes());
  ASSERT_EQ(actions_of(advice), (std::vector<Action>{Action::nothing, Action::pad})) << advice.why;
  const std::string& text = advice.recommendations[1].text;
  EXPECT_NE(text.find("make_counters (src/make_counters.cpp:9)"), std::string::npos) << text;
  EXPECT_NE(text.find("100 % of its traffic is on falsely shared lines"), std::string::npos);
  EXPECT_TRUE(advice.plan.objects.empty());
}

TEST(ProfileAdvise, NobodyKnowsWhoWritesSampledPages) {
  SyntheticRun run(64);
  run.recording.frontend = recording::FrontendName::sample;
  const std::uint32_t table = run.object("load_table", 5, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i) run.touch_page(i, table, page, i == 0 ? 164 : 100, 0);
  Profile profile = run.build();
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i)
      profile.samples.push_back(
          {table, run.first_page(table) + page, i, static_cast<std::uint32_t>(page + i) % 20, 100});
  const Advice advice = advise(profile, four_nodes());
  EXPECT_EQ(actions_of(advice), std::vector<Action>{Action::interleave});
  EXPECT_FALSE(advice.summary.tells_writes);
  EXPECT_EQ(advice.summary.objects[0].use, "shared by 64 threads");
  run.recording.frontend = recording::FrontendName::compiled;
  EXPECT_EQ(summarise(run.build(), four_nodes()).objects[0].use,
            "read by 64 threads, never written");
}

TEST(ProfileAdvise, TooFewSamplesAreNoGroundForAdvice) {
  SyntheticRun run(64);
  run.recording.frontend = recording::FrontendName::sample;
  const std::uint32_t table = run.object("load_table", 5, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i) run.touch_page(i, table, page, i == 0 ? 164 : 100, 0);
  const Advice advice = advise(run.build(), four_nodes());
  ASSERT_EQ(actions_of(advice), std::vector<Action>{Action::nothing});
  EXPECT_NE(advice.recommendations[0].text.find("too few samples"), std::string::npos);
  EXPECT_TRUE(advice.plan.objects.empty());
  EXPECT_TRUE(advice.plan.threads.empty());
  EXPECT_FALSE(advice.plan.after.has_value()) << "nothing is predicted";
}

/// 64 threads use an object equally, except that thread 0 uses it `more` times as much.
SyntheticRun shared_by_all(recording::ObjectKind kind, std::uint64_t more) {
  SyntheticRun run(64);
  const std::uint32_t table = run.object("f", 5, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i)
      run.touch(i, table, page * 4096 + i * 64, i == 0 ? 100 * more : 100, 0);
  run.recording.objects[table].kind = kind;
  return run;
}

TEST(ProfileAdvise, StacksFollowTheirThreadsUnlessOthersUseThemMore) {
  const auto advice = [](std::uint64_t more) {
    return advise(shared_by_all(recording::ObjectKind::stack, more).build(), four_nodes());
  };
  EXPECT_EQ(actions_of(advice(64)), std::vector<Action>{Action::nothing});
  const Advice shared = advice(1);
  ASSERT_EQ(actions_of(shared), (std::vector<Action>{Action::nothing, Action::annotate}));
  EXPECT_TRUE(shared.plan.objects.empty());
  EXPECT_NE(shared.recommendations[1].text.find("it is a thread's stack"), std::string::npos);
}

TEST(ProfileAdvise, WhatHasNoObjectGetsNoAdvice) {
  const SyntheticRun run = shared_by_all(recording::ObjectKind::other, 1);
  EXPECT_EQ(actions_of(advise(run.build(), four_nodes())), std::vector<Action>{Action::nothing});
}

TEST(ProfileAdvise, MappingsAreAdvisedOnAsAllocationsAre) {
  const auto advice = [](recording::ObjectKind kind, bool with_stack) {
    SyntheticRun run = master_touched();
    run.recording.objects[0].kind = kind;
    run.recording.objects[0].order = 3;
    if (!with_stack) run.recording.objects[0].site = recording::kNone;
    if (!with_stack) run.recording.objects[0].module = "/usr/lib/libone.so";
    return advise(run.build(), four_nodes());
  };
  const Advice mapped = advice(recording::ObjectKind::mapping, true);
  EXPECT_EQ(actions_of(mapped), std::vector<Action>{Action::locality});
  ASSERT_EQ(mapped.plan.objects.size(), 1U);
  PlannedObject object = mapped.plan.objects[0];
  EXPECT_EQ(object.kind, PlannedObject::Kind::mapping);
  EXPECT_EQ(plan_from_json(to_json(mapped.plan), "the plan"), mapped.plan);
  object.kind = PlannedObject::Kind::heap;
  EXPECT_EQ(object, advice(recording::ObjectKind::heap, true).plan.objects.at(0));

  const Advice file = advice(recording::ObjectKind::mapping, false);
  ASSERT_EQ(actions_of(file), (std::vector<Action>{Action::nothing, Action::annotate}));
  EXPECT_NE(file.recommendations[1].text.find("a program's or library's file"), std::string::npos);
}

/// All threads use one table. Threads of the first of four nodes use it seven times as much as the
/// others.
SyntheticRun mostly_the_first_nodes(std::uint32_t threads) {
  SyntheticRun run(threads);
  const std::uint32_t table = run.object("f", 5, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < threads; ++i) {
      const std::uint64_t times = i < threads / 4 ? 70 : 10;
      run.touch(i, table, page * 4096 + i * 64, times, times);
    }
  return run;
}

TEST(ProfileAdvise, LessLocalForBalanceIsSaid) {
  const Advice advice = advise(mostly_the_first_nodes(64).build(), four_nodes());
  EXPECT_EQ(actions_of(advice), std::vector<Action>{Action::interleave});
  EXPECT_EQ(advice.trade,
            "less memory traffic is local, for balance: local 70 % -> 25 %, busiest memory 100 % "
            "-> 25 %");
  EXPECT_NE(advice.recommendations[0].text.find("of the time by itself: local 70 % -> 25 %"),
            std::string::npos)
      << advice.recommendations[0].text;
  EXPECT_LT(advice.plan.after->time, 0.7);
  EXPECT_THAT(advice.why, testing::StartsWith("all wait most for the memory of node 0, which "
                                              "serves 100 % of all; by this plan, that takes "));
  EXPECT_EQ(advise(hashsieve_like().build(), four_nodes()).trade, "");
}

// One memory suffices for four threads. Distributed pages would only make the busiest thread
// slower.
TEST(ProfileAdvise, FewThreadsDontNeedAllMemories) {
  const Advice advice = advise(mostly_the_first_nodes(4).build(), four_nodes());
  EXPECT_EQ(actions_of(advice)[0], Action::nothing);
  EXPECT_THAT(advice.why, testing::HasSubstr("a thread of node 0 waits longest: 0 %"));
}

/// Each thread writes its own pages and reads those of its neighbour.
SyntheticRun ring_of(std::uint32_t threads) {
  SyntheticRun run(threads);
  const std::uint32_t data = run.object("make_data", 3, threads * 16 * 4096);
  for (std::uint32_t page = 0; page < 16 * threads; ++page)
    for (std::uint64_t line = 0; line < 64; line += 4) {
      const std::uint32_t owner = page / 16;
      run.touch(0, data, page * 4096 + line * 64, 0, 1, 1);
      run.touch(owner, data, page * 4096 + line * 64, 0, 100, 0xfffff);
      run.touch((owner + 1) % threads, data, page * 4096 + line * 64, 30, 0, 0xfffff);
    }
  return run;
}

TEST(ProfileAdvise, ARingOfFourGetsItsPagesToItsThreads) {
  const Advice advice = advise(ring_of(4).build(), four_nodes());
  EXPECT_TRUE(advice.plan.bind_threads);
  EXPECT_LE(advice.plan.after->time, 1.03 * advice.summary.outcome(Mapping::locality).time);
  EXPECT_GT(advice.plan.after->local_share, 0.75);
  EXPECT_LT(advice.plan.before->local_share, 0.35);
}

TEST(ProfileAdvise, MoreRunsThanUsualWhereTheyHelp) {
  // Each page belongs to one random thread. The first thread initialized all pages.
  SyntheticRun run(16);
  std::mt19937 random(3);
  const std::uint32_t data = run.object("make_data", 3, 400 * 4096);
  for (std::uint32_t page = 0; page < 400; ++page) {
    run.touch(0, data, page * 4096, 0, 1, 1);
    run.touch(static_cast<std::uint32_t>(random() % 16), data, page * 4096, 100, 100, 0xfffff);
  }
  const Advice advice = advise(run.build(), four_nodes());
  ASSERT_EQ(advice.plan.objects.size(), 1U);
  EXPECT_GT(advice.plan.objects[0].runs.size(), kFewRuns);
  EXPECT_GT(advice.plan.after->local_share, 0.95);
}

TEST(ProfileAdvise, APlanThatIsFullSaysSo) {
  SyntheticRun run(64);
  for (int i = 0; i < 4100; ++i) run.object("make_one", 5, 4096);
  for (recording::Object& object : run.recording.objects) object.site = 1;
  ProfileBuilder builder;
  builder.begin(run.recording);
  for (const recording::Object& object : run.recording.objects) {
    const std::vector<recording::ThreadOnPage> threads{
        {.thread = 0, .writes = 1, .traffic = 1, .first_access = 1},
        {.thread = 16 + object.id % 48,
         .reads = 100,
         .writes = 100,
         .traffic = 200,
         .first_access = 2}};
    const recording::ObjectLines part{.object = object.id, .end_line = recording::kLinesOfPage};
    builder.page(
        {.page = object.address / kPageBytes, .threads = threads, .objects = std::span(&part, 1)});
  }
  builder.end(run.recording);
  const Advice advice = advise(builder.take(), four_nodes());
  ASSERT_EQ(advice.recommendations.size(), 2U);
  EXPECT_EQ(advice.recommendations[1].action, Action::annotate);
  EXPECT_EQ(advice.plan.objects.size(), 4096U);
  const std::string& text = advice.recommendations[1].text;
  EXPECT_NE(text.find("4 objects"), std::string::npos) << text;
  EXPECT_NE(text.find("it names 4,096 already"), std::string::npos) << text;
}

TEST(ProfileAdvise, WhatNoPlanCanNameIsSaid) {
  SyntheticRun run = master_touched();
  run.recording.objects[0].site = recording::kNone;
  const Advice advice = advise(run.build(), four_nodes());
  EXPECT_EQ(actions_of(advice), (std::vector<Action>{Action::nothing, Action::annotate}));
}

TEST(ProfileAdvise, OneNodeHasNothingToChange) {
  for (const auto& run : {master_touched(), pipeline(), hashsieve_like()})
    EXPECT_EQ(actions_of(advise(run.build(), Machine::open("pu:4"))),
              std::vector<Action>{Action::nothing});
}

TEST(ProfileAdvise, AnEmptyProfileHasNothingToChange) {
  EXPECT_EQ(actions_of(advise(SyntheticRun(3).build(), four_nodes())),
            std::vector<Action>{Action::nothing});
}

TEST(ProfileAdvise, WhyNothingWasRecordedIsSaid) {
  SyntheticRun run(3);
  const auto verdict = [&] { return summarise(run.build(), four_nodes()).verdict(); };
  EXPECT_EQ(verdict(), std::vector<std::string>{"No access was recorded."});
  run.recording.cant_see = {{recording::UnseenKind::everything, "the system forbids it"}};
  EXPECT_EQ(verdict(), std::vector<std::string>{"No access was recorded: the system forbids it."});
  run.recording.losses = {{recording::LossKind::accesses_outside, 1200}};
  EXPECT_EQ(verdict(), std::vector<std::string>{
                           "No access was recorded: all 1,200 were outside of what was asked for. "
                           "The marks weren't reached, or --after is longer than the run of 2 s."});
  EXPECT_EQ(advise(run.build(), four_nodes()).recommendations[0].text,
            "there is nothing to advise on, as no access was recorded");
}

TEST(ProfileAdvise, EveryMachineAndRunGetsAPlanThatReadsBack) {
  std::uint32_t seed = 0;
  for (const std::string& name : Machine::preset_names()) {
    const Advice advice = advise(random_run(seed++ % 3).build(), Machine::open(name));
    EXPECT_EQ(plan_from_json(to_json(advice.plan), "the plan"), advice.plan) << name;
    ASSERT_TRUE(advice.plan.before && advice.plan.after);
    EXPECT_LE(advice.plan.after->time, advice.plan.before->time);
  }
}

TEST(ProfileAdvise, ThreadsAreRecognisedByCreatorPlaceAndOrder) {
  SyntheticRun run = master_touched(8, 16);
  run.recording.threads[5].creator = 2;
  run.recording.threads[6].creator = 2;
  run.recording.threads[7].creator = recording::kNone;  // the creation wasn't recorded
  const ProgramPlan plan = advise(run.build(), four_nodes()).plan;
  ASSERT_EQ(plan.threads.size(), 8U);
  EXPECT_FALSE(plan.threads[0].creator);
  EXPECT_TRUE(plan.threads[0].stack.empty());
  EXPECT_EQ(plan.threads[4].creator, 0U);
  EXPECT_EQ(plan.threads[4].order, 3U);
  EXPECT_EQ(plan.threads[4].stack.front().function, "start_workers");
  EXPECT_EQ(plan.threads[6].creator, 2U);
  EXPECT_EQ(plan.threads[6].order, 1U);
  EXPECT_EQ(plan.threads[7].creator, 0U);
  EXPECT_EQ(plan.threads[7].order, 4U);
}

TEST(ProfilePlanObject, RunsAreCoarsened) {
  // The last eighth of 1024 pages belongs to node 3. The others alternate over the nodes.
  SyntheticRun run(4);
  const std::uint32_t object = run.object("f", 1, 1024 * 4096);
  for (std::uint64_t page = 0; page < 1024; ++page)
    run.touch(page >= 896 ? 3 : static_cast<std::uint32_t>(page % 3), object, page * 4096, 10, 0);
  const Profile profile = run.build();
  const Places places = places_of(profile, four_nodes());
  const PagesByNode pages = pages_by_node(profile, places);
  std::vector<std::size_t> rows(pages.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::vector<PageRun> runs =
      runs_by_node(pages, rows, profile.recording.objects[object], places, kFewRuns);
  EXPECT_LE(runs.size(), kFewRuns);
  EXPECT_EQ(runs.back().end_page, 1024U);
  EXPECT_EQ(runs.back().node, NodeId{3});
  for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_LT(runs[i - 1].end_page, runs[i].end_page);
}

}  // namespace
}  // namespace Atoll::profile
