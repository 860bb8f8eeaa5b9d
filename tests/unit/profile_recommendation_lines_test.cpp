// The first lines of a report: the plan's actions and gain, or that no change is advised.
#include "profile/recommendation_lines.hpp"

#include <gmock/gmock.h>

#include "profile/option_in_words.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> said_of(const SyntheticRun& run, const std::string& machine) {
  const Advice advice = advise(run.build(), without_level_3(machine));
  EXPECT_EQ(recommendation_lines(advice), advice.summary.to_do);
  const std::vector<std::string> verdict = advice.summary.verdict();
  EXPECT_TRUE(std::ranges::equal(advice.summary.to_do,
                                 std::span(verdict).first(advice.summary.to_do.size())));
  return advice.summary.to_do;
}

TEST(WhatToDo, PartsGoToTheirNodes) {
  EXPECT_THAT(said_of(master_touched(), "xeon-x7550"),
              ElementsAre(testing::MatchesRegex("Bind each thread and put its part on its node: 2. "
                                                "% of the memory traffic is local, 99 % "
                                                "possible, in [0-9]+ % less time\\.")));
}

TEST(WhatToDo, WhatAllUseIsSpread) {
  EXPECT_THAT(said_of(hashsieve_like(), "xeon-x7550"),
              ElementsAre(testing::MatchesRegex("Spread what threads share over the nodes: one "
                                                "memory serves 4. % of the memory traffic, 2. % "
                                                "possible, in [0-9]+ % less time\\.")));
}

TEST(WhatToDo, WhatLiesWellStays) {
  EXPECT_THAT(said_of(private_blocks(), "xeon-x7550"),
              ElementsAre("Change nothing: 100 % of the memory traffic is local, and no plan would "
                          "take 5 % less time of the memory."));
}

TEST(WhatToDo, FalseSharingIsNamedWhereItMatters) {
  const auto with_lines = [](std::uint64_t others) {
    SyntheticRun run(4);
    const std::uint32_t counters = run.object("make_counters", 9, 64);
    for (std::uint32_t i = 0; i < 4; ++i) run.touch(i, counters, 8 * i, 90, 90);
    const std::uint32_t rest = run.object("make_rest", 10, others * 64);
    for (std::uint64_t line = 0; line < others; ++line) run.touch(0, rest, line * 64, 1, 0);
    return run;
  };
  EXPECT_THAT(said_of(with_lines(1), "pu:4"),
              ElementsAre("Pad make_counters (src/make_counters.cpp:9): 100 % of the memory "
                          "traffic is false sharing, of lines in which each thread uses words of "
                          "its own."));
  EXPECT_THAT(said_of(with_lines(20'000), "pu:4"), IsEmpty());
}

TEST(WhatToDo, NothingIsSaidOfNothing) {
  EXPECT_THAT(said_of(SyntheticRun(2), "xeon-x7550"), IsEmpty());
}

TEST(WhatToDo, SamplesNameNoShares) {
  SyntheticRun run(64);
  run.recording.frontend = recording::FrontendName::sample;
  const std::uint32_t table = run.object("load_table", 5, 64 * 4096);
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i) run.touch_page(i, table, page, i == 0 ? 164 : 100, 0);
  EXPECT_THAT(said_of(run, "xeon-x7550"),
              ElementsAre("Change nothing for now: there are too few samples to advise."));
  Profile profile = run.build();
  for (std::uint64_t page = 0; page < 64; ++page)
    for (std::uint32_t i = 0; i < 64; ++i)
      profile.samples.push_back(
          {table, run.first_page(table) + page, i, static_cast<std::uint32_t>(page + i) % 20, 100});
  EXPECT_THAT(advise(profile, without_level_3("xeon-x7550")).summary.to_do,
              ElementsAre(testing::MatchesRegex("[^%]+: samples predict about [0-9]+ % less "
                                                "time\\.")));
}

TEST(WhatToDo, OneNodeForAllOfAnObjectIsNotCalledEachPagesMainUser) {
  const std::vector<NodeId> nodes{NodeId{3}, NodeId{7}};
  ObjectSummary object;
  object.outcomes.push_back({.local = 50, .loads = {100}});
  object.exclusivity = 0.5;
  const OptionInWords words =
      in_words({.kind = PlanOption::Kind::single, .node = 1}, object, nodes,
               {.local_share = 0.5, .busiest_share = 1}, {.local_share = 0.8, .busiest_share = 1});
  EXPECT_EQ(words.text,
            "all of it to node 7 (exclusivity 50 %): local 50 % -> 80 %, busiest memory 100 % -> "
            "100 %");
}

}  // namespace
}  // namespace Atoll::profile
