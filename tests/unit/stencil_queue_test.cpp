// Chains that come again are recognised loop by loop. Whatever differs is noticed, checked and run.
#include <gtest/gtest.h>

#include <functional>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

class StencilQueue : public testing::Test {
 protected:
  void set(double value) {
    mesh_.loop(
        "set", mesh_.interior(), [value](auto f) { f() = value; }, write(u_));
  }
  /// v is the sum of u's neighbours.
  void add(const Range& range, const Stencil& stencil) {
    mesh_.loop(
        "add", range, [](auto f, auto g) { g() = f(-1) + f(1); }, read(u_, stencil), write(v_));
  }
  /// The chain that comes again and again.
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
    EXPECT_EQ(program_.waiting(), before);  // as before
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
  set(5);  // the beginning of the usual one
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
  program_.run();  // nobody asked for the sum
  set(4);
  EXPECT_THROW(smallest(), Error);
  EXPECT_EQ(least.value(), 32);
  smallest();
  EXPECT_EQ(least.value(), 4);
}

}  // namespace
}  // namespace Atoll::stencil
