// Repeated chains are recognised loop by loop. Every difference from the known chain is detected,
// checked and run.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"
#include "stencil/state.hpp"

namespace Atoll::stencil {
namespace {

class StencilQueue : public testing::Test {
 protected:
  void set(double value) {
    mesh_.loop(
        "set", mesh_.interior(), [value](auto f) { f() = value; }, write(u_));
  }
  /// Queues a loop that sets v to the sum of u's neighbours.
  void add(const Range& range, const Stencil& stencil) {
    mesh_.loop(
        "add", range, [](auto f, auto g) { g() = f(-1) + f(1); }, read(u_, stencil), write(v_));
  }
  /// Queues the chain that SetUp() has repeated.
  void usual(double value) {
    set(value);
    periodic(u_, 0, 1);
    add(mesh_.interior(), star(1));
  }
  void SetUp() override {
    for (int time = 0; time < 3; ++time) {
      usual(time);
      program_.run();
    }
    EXPECT_EQ(program_.counters().plans, 1U);
  }

  Program program_{Options{.threads = 1}};
  Mesh& mesh_ = program_.mesh("row", {8});
  Mesh& other_ = program_.mesh("other", {8});
  Field<double> u_ = mesh_.field<double>("u", {.halo = 1});
  Field<double> v_ = mesh_.field<double>("v", {.halo = 1});
  Field<double> alien_ = other_.field<double>("w");
};

TEST_F(StencilQueue, WhatIsCapturedCountsEachTime) {
  usual(7);
  EXPECT_EQ(v_.view()(0), 14);
  usual(8);
  EXPECT_EQ(v_.view()(0), 16);
  EXPECT_EQ(program_.counters().plans, 1U);
}

TEST_F(StencilQueue, AnArgumentsValueCountsEachTime) {
  // In the stored kernel, the value is after the captures. It may be the only difference.
  for (const double given : {1.0, 2.0, 2.0, -3.0}) {
    mesh_.loop(
        "set", mesh_.interior(), [unused = 5.0](auto f, double v) { f() = v + 0 * unused; },
        write(u_), value(given));
    EXPECT_EQ(u_.view()(3), given);
  }
}

TEST_F(StencilQueue, WrongLoopsAreRefusedInTheMiddleOfAKnownChain) {
  const std::function<void()> wrong[] = {
      [&] { add(mesh_.interior(), star(2)); }, [&] { add(Range::of(-1, 9), star(1)); },
      [&] {
        mesh_.loop(
            "add", mesh_.interior(), [](auto f, auto g) { g() = f(-1) + f(1); }, read(u_, star(1)),
            write(alien_));
      },
      [&] {
        mesh_.loop(
            "add", mesh_.interior(), [](auto f, auto g) { g() = f(); }, read(u_), write(u_));
      }};
  for (const auto& loop : wrong) {
    set(1);
    periodic(u_, 0, 1);
    const std::size_t before = program_.waiting();
    EXPECT_THROW(loop(), Error);
    EXPECT_EQ(program_.waiting(), before);  // the queue is unchanged
    add(mesh_.interior(), star(1));
    EXPECT_EQ(v_.view()(3), 2);
  }
}

TEST_F(StencilQueue, AnotherKernelOfTheSameFieldsIsRun) {
  set(3);
  periodic(u_, 0, 1);
  mesh_.loop(
      "add", mesh_.interior(), [](auto f, auto g) { g() = f(-1) * f(1); }, read(u_, star(1)),
      write(v_));
  EXPECT_EQ(v_.view()(0), 9);
  usual(3);
  EXPECT_EQ(v_.view()(0), 6);
}

TEST_F(StencilQueue, PartsOfAChainAndLongerOnesAreOtherChains) {
  set(5);  // the first loop of the usual chain
  EXPECT_EQ(u_.view()(2), 5);
  usual(6);
  set(1);
  EXPECT_EQ(v_.view()(0), 12);
  EXPECT_EQ(u_.view()(0), 1);
  usual(7);
  EXPECT_EQ(v_.view()(0), 14);
  EXPECT_EQ(program_.counters().plans, 3U);
}

TEST_F(StencilQueue, AnotherRangeOrFieldIsAnotherChain) {
  usual(1);
  program_.run();
  set(2);
  periodic(u_, 0, 1);
  add(Range::of(0, 4), star(1));
  EXPECT_EQ(v_.view()(3), 4);
  EXPECT_EQ(v_.view()(4), 2);
  set(2);
  periodic(u_, 0, 1);
  mesh_.loop(
      "add", mesh_.interior(), [](auto f, auto g) { g() = f() + 1; }, read(v_), write(u_));
  EXPECT_EQ(u_.view()(3), 5);
}

TEST_F(StencilQueue, AnotherReductionOfTheSameKernelIsAnotherChain) {
  const auto one = program_.reduction<double>(), two = program_.reduction<double>();
  const auto add_to = [&](const Reduction<double>& sum) {
    mesh_.loop(
        "sum", mesh_.interior(), [](auto f, auto r) { r(f()); }, read(u_), reduce_sum(sum));
  };
  set(1);
  add_to(one);
  EXPECT_EQ(one.value(), 8);
  set(2);
  add_to(two);  // the known chain continues with `one`
  EXPECT_EQ(two.value(), 16);
  EXPECT_EQ(one.value(), 8);
  // Two reductions within one chain, and in chains that are found among several known chains.
  for (int time = 1; time < 4; ++time) {
    set(time);
    add_to(time % 2 == 0 ? one : two);
    add_to(time % 2 == 0 ? two : one);
    periodic(u_, 0, 1);
    set(10 * time);
    add_to(one);
    EXPECT_EQ(one.value(), 8 * 11 * time);
    EXPECT_EQ(two.value(), 8 * time);
  }
}

TEST_F(StencilQueue, AnotherBoundaryConditionIsSeenInAKnownChain) {
  const Face low{0, false}, high{0, true};
  const auto set_halo = [&](const Field<double>& field, Face face, double value) {
    constant(field, face, 1, value);
    return field.view()(face.high ? 8 : -1);
  };
  for (int time = 0; time < 3; ++time) EXPECT_EQ(set_halo(u_, low, time), time);
  EXPECT_EQ(set_halo(u_, high, 7), 7);
  EXPECT_EQ(u_.view()(-1), 2);
  for (int time = 0; time < 3; ++time) EXPECT_EQ(set_halo(u_, low, time), time);
  EXPECT_EQ(set_halo(v_, low, 8), 8);
  EXPECT_EQ(program_.last_chain()->fields[0].name, "v");
  EXPECT_EQ(u_.view()(-1), 2);
  u_.edit()(0) = 5;
  for (int time = 0; time < 3; ++time) EXPECT_EQ(set_halo(u_, low, time), time);
  mirror(u_, low, 1);
  EXPECT_EQ(u_.view()(-1), 5);
}

TEST_F(StencilQueue, AVoidProgramRefusesWhatItExpects) {
  for (const bool fails : {false, false, true}) {
    periodic(u_, 0, 1);
    mesh_.loop(
        "fail", mesh_.interior(),
        [fails](auto f) {
          if (fails) throw Error::failed("kernel", "it fails", "none");
          f() = 1;
        },
        write(v_));
    if (fails)
      EXPECT_THROW(program_.run(), Error);
    else
      program_.run();
  }
  EXPECT_THROW(periodic(u_, 0, 1), Error);
}

TEST_F(StencilQueue, AReductionOfTwoOperationsIsRefusedInAKnownChainToo) {
  const auto least = program_.reduction<double>();
  const auto smallest = [&] {
    mesh_.loop(
        "smallest", mesh_.interior(), [](auto f, auto r) { r(f()); }, read(u_), reduce_min(least));
  };
  for (int time = 0; time < 2; ++time) {
    set(4);
    smallest();
    EXPECT_EQ(least.value(), 4);
  }
  mesh_.loop(
      "sum", mesh_.interior(), [](auto f, auto r) { r(f()); }, read(u_), reduce_sum(least));
  program_.run();  // the sum is computed but not read
  set(4);
  EXPECT_THROW(smallest(), Error);
  EXPECT_EQ(least.value(), 32);
  smallest();
  EXPECT_EQ(least.value(), 4);
}

/// A cache of known chains, from which the least recently used ones are evicted.
class StencilKnownChains : public testing::Test {
 protected:
  static constexpr int kSize = 300;
  /// Runs a chain of two loops, which differs for each `end`. Returns a value that the chain sets.
  double chain(int end, double value) {
    for (const auto& field : {u_, v_})
      mesh_.loop(
          "set", Range::of(0, end), [value](auto f) { f() = value; }, write(field));
    return v_.view()(end - 1);
  }
  void SetUp() override { program_.state().plans = PlanCache(kMaxLoops); }
  [[nodiscard]] std::uint64_t plans() const { return program_.counters().plans; }

  static constexpr std::size_t kMaxLoops = 30;  // room for ten chains of two loops
  Program program_{Options{.threads = 1}};
  Mesh& mesh_ = program_.mesh("row", {kSize});
  Field<double> u_ = mesh_.field<double>("u");
  Field<double> v_ = mesh_.field<double>("v");
};

TEST_F(StencilKnownChains, EverNewOnesTakeNoMoreMemory) {
  for (int end = 1; end <= kSize; ++end) {
    EXPECT_EQ(chain(end, end), end);
    EXPECT_LE(program_.state().plans.chains(), 10U);
    EXPECT_LE(program_.state().plans.tuners(), 10U);
  }
  EXPECT_EQ(plans(), std::uint64_t{kSize});
  EXPECT_EQ(program_.state().plans.chains(), 10U);
  EXPECT_EQ(chain(1, 7), 7);  // evicted, so it is planned again
  EXPECT_EQ(plans(), std::uint64_t{kSize} + 1);
}

TEST_F(StencilKnownChains, OneThatComesAgainAndAgainIsKept) {
  for (int end = 1; end < kSize; ++end) {
    EXPECT_EQ(chain(kSize, end), end);
    EXPECT_EQ(chain(end, -end), -end);
  }
  EXPECT_EQ(plans(), std::uint64_t{kSize});
}

TEST_F(StencilKnownChains, ALongOneIsKeptUntilTheNext) {
  for (int time = 0; time < 3; ++time) {
    for (int i = 0; i < 50; ++i)
      mesh_.loop(
          "add", mesh_.interior(), [](auto f) { f() += 1; }, increment(u_));
    EXPECT_EQ(u_.view()(3), 50 * (time + 1));
    EXPECT_EQ(program_.state().plans.chains(), 1U);
  }
  EXPECT_EQ(plans(), 1U);
}

TEST_F(StencilQueue, AChainThatTurnsOffRunsWhatItHasKept) {
  // The second half of the chain alternates. Its kernels capture objects with destructors.
  const auto keep = std::make_shared<double>(2);
  for (int time = 0; time < 6; ++time) {
    const double value = time % 2 == 0 ? 5 : 6;
    mesh_.loop(
        "set", mesh_.interior(), [keep, value](auto f) { f() = *keep * value; }, write(u_));
    periodic(u_, 0, 1);
    if (time == 3)
      mesh_.loop(
          "other", mesh_.interior(), [](auto f, auto g) { g() = f() - 1; }, read(u_), write(v_));
    else
      add(mesh_.interior(), star(1));
    EXPECT_EQ(v_.view()(2), time == 3 ? 2 * value - 1 : 4 * value) << time;
    EXPECT_EQ(keep.use_count(), 1) << time;
  }
}

}  // namespace
}  // namespace Atoll::stencil
