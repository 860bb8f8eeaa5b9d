// Long chains are divided into segments whose skew fits the tiles, at points where little is live.
// Equal segments share a tiling, and queues that repeat themselves run in rounds.
#include "stencil/split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"
#include "stencil/rounds.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil {
namespace {

using testing::HasSubstr;

/// Returns steps of two loops on a square: the first writes a flux, the second reads it and updates
/// the state.
Chain steps(int size, int count, bool temporary = true) {
  Chain chain;
  chain.meshes.push_back({"square", 2, Range::of(0, size, 0, size)});
  const Range whole = Range::of(-1, size + 1, -1, size + 1);
  chain.fields = {{"state", 0, whole, {}, 8, false}, {"flux", 0, whole, {}, 8, temporary}};
  for (int step = 0; step < count; ++step) {
    chain.loops.push_back(
        {"flux", 0, whole, {{0, AccessMode::read, point()}, {1, AccessMode::write, {}}}, 0});
    chain.loops.push_back({"update",
                           0,
                           chain.meshes[0].interior,
                           {{1, AccessMode::read, star(1)}, {0, AccessMode::increment, {}}},
                           0});
  }
  return chain;
}

std::set<const Plan::Tiling*> tilings_of(const Plan& plan) {
  std::set<const Plan::Tiling*> tilings;
  for (const Plan::Segment& segment : plan.segments) tilings.insert(segment.tiling.get());
  return tilings;
}

TEST(StencilSplit, SegmentsAreAsLongAsTilesAndBandsAllow) {
  const Chain chain = steps(1000, 1000);
  const auto longest_skew = [&](const PlanOptions& options) {
    int skew = 0, end = 0;
    for (const Plan::Segment& segment : split(chain, options)) {
      EXPECT_EQ(segment.first, end);
      end = segment.end;
      const Skew its = skew_of(part_of(chain, segment.first, segment.end));
      skew = std::max(skew, its[1]);
      // Another step would be too much, except at the end.
      if (segment.why == Plan::End::skew) {
        EXPECT_GE(its[1], skew - 1);
      }
    }
    EXPECT_EQ(end, 2000);
    return skew;
  };
  EXPECT_EQ(longest_skew({.threads = 1, .tile = {{0, 50}}}), 99);
  EXPECT_EQ(longest_skew({.threads = 2, .tile = {{0, 50}}}), 99);
  EXPECT_EQ(longest_skew({.threads = 2, .tile = {{0, 300}}}), 249);  // half of a thread's 500 rows
  EXPECT_EQ(split(chain, {.threads = 1}).size(), 1U);                // without tiles, nothing skews
}

TEST(StencilSplit, SegmentsEndWhereLeastIsLive) {
  for (const bool temporary : {false, true}) {
    const Chain chain = steps(1000, 1000, temporary);
    for (const Plan::Segment& segment : split(chain, {.threads = 1, .tile = {{0, 50}}})) {
      EXPECT_EQ(segment.end % 2, 0);  // between two steps, the flux isn't live
      if (segment.why == Plan::End::skew) {
        EXPECT_EQ(segment.live_bytes, 8U * 1002 * 1002);
      }
    }
  }
}

TEST(StencilSplit, EqualSegmentsShareATiling) {
  const Plan plan = make_plan(steps(400, 1000), {.threads = 2, .tile = {{0, 20}}});
  EXPECT_GT(plan.segments.size(), 20U);
  EXPECT_LE(tilings_of(plan).size(), 2U);  // the last one is shorter
  const std::string text = to_string(steps(400, 1000), plan);
  EXPECT_THAT(text, HasSubstr("it ends because more loops would skew its tiles too far"));
  EXPECT_THAT(text, HasSubstr("tiled like segment 0"));
  // Fields that take turns have other numbers in every second step.
  Chain turns = steps(400, 0);
  for (int l = 0; l < 500; ++l)
    turns.loops.push_back({"step",
                           0,
                           turns.meshes[0].interior,
                           {{l % 2, AccessMode::read, star(1)}, {1 - l % 2, AccessMode::write, {}}},
                           0});
  turns.fields[1].temporary = false;
  const Plan of_turns = make_plan(turns, {.threads = 1, .tile = {{0, 21}}});
  EXPECT_GT(of_turns.segments.size(), 5U);
  EXPECT_LE(tilings_of(of_turns).size(), 2U);
}

/// Heat on a square, whose two fields take turns.
class Heat {
 public:
  Heat(const Options& options, int size, bool temporary = false)
      : program(options), mesh(program.mesh("square", {size, size})) {
    for (const char* name : {"u", "v"}) fields.push_back(mesh.field<double>(name, {.halo = 1}));
    between = mesh.field<double>("between", {.temporary = temporary});
    mesh.loop(
        "start", Range::of(-1, size + 1, -1, size + 1),
        [](const Index& at, auto u, auto v) { u() = v() = at.x + 10.0 * at.y; }, index(),
        write(fields[0]), write(fields[1]));
  }
  void step(int number) {
    const Field<double>&from = fields[static_cast<std::size_t>(number % 2)],
          &to = fields[static_cast<std::size_t>(1 - number % 2)];
    mesh.loop(
        "step", mesh.interior(),
        [](auto u, auto v) { v() = 0.25 * (u(-1) + u(1) + u(0, -1) + u(0, 1)); },
        read(from, star(1)), write(to));
  }
  std::vector<double> values() { return fields[0].copy(); }

  Program program;
  Mesh& mesh;
  std::vector<Field<double>> fields;
  Field<double> between;
};

TEST(StencilRounds, ALongQueueTakesThePlanOfARound) {
  constexpr int kSize = 60, kSteps = 30'000;
  Heat untiled({.threads = 1, .mode = Mode::untiled}, kSize);
  Heat tiled({.threads = 2, .tile = {{0, 8}}}, kSize);
  for (int s = 0; s < kSteps; ++s) untiled.step(s), tiled.step(s);
  EXPECT_EQ(untiled.values(), tiled.values());
  // The start, rounds that begin with either field, and what is left behind them twice.
  EXPECT_LE(tiled.program.counters().plans, 5U);
  EXPECT_EQ(tiled.program.counters().loops, 30'001U);
  EXPECT_LT(tiled.program.counters().plan_bytes, 1U << 20);
}

TEST(StencilRounds, PeriodsThatDontDivideTheQueueAreRecognised) {
  Program program({.threads = 1});
  Mesh& mesh = program.mesh("row", {64});
  const auto u = mesh.field<double>("u");
  for (int s = 0; s < 70'000; ++s)
    mesh.loop(
        s % 3 == 0   ? "a"
        : s % 3 == 1 ? "b"
                     : "c",
        mesh.interior(), [](auto f) { f() += 1; }, read_write(u));
  EXPECT_EQ(u.view()(5), 70'000);
  EXPECT_LE(program.counters().plans, 5U);
}

TEST(StencilRounds, TemporaryFieldsKeepTheirContentUntilAResultIsAskedFor) {
  Program program({.threads = 1});
  Mesh& mesh = program.mesh("row", {64});
  const auto u = mesh.field<double>("u");
  const auto work = mesh.field<double>("work", {.temporary = true});
  const auto keep = [&] {
    mesh.loop(
        "keep", mesh.interior(), [](auto w, auto f) { w() = f(); }, write(work), read(u));
  };
  const auto add = [&] {
    mesh.loop(
        "add", mesh.interior(), [](auto f, auto w) { f() += w() + 1; }, read_write(u), read(work));
  };
  keep();
  for (int s = 0; s < 50'000; ++s) add();  // the queue runs several times in between
  EXPECT_EQ(u.view()(5), 50'000);
  add();
  EXPECT_THROW((void)u.view(), Error);
}

TEST(StencilRounds, QueuesThatDontRepeatThemselvesHaveNone) {
  Program program({.threads = 1});
  Mesh& mesh = program.mesh("row", {1 << 14});
  const auto u = mesh.field<double>("u");
  const auto set = [&](int at) {
    mesh.loop(
        "set", Range::of(at, at + 1), [](auto f) { f() = 1; }, write(u));
  };
  const auto rounds = [&] { return rounds_of(program.state().queue.all()); };
  for (int l = 0; l < 1999; ++l) set(0);
  EXPECT_EQ(rounds().loops, 0U);  // too short
  program.run();
  for (int l = 0; l < 5000; ++l) set(l);
  EXPECT_EQ(rounds().loops, 0U);
  for (int l = 0; l < 5000; ++l) set(7 + l % 3);
  EXPECT_EQ(rounds().first, 5000U);
  EXPECT_EQ(rounds().loops, 126U);
}

}  // namespace
}  // namespace Atoll::stencil
