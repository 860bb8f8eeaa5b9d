// Series of reductions: record() stores the result that value() would return, without ending the
// chain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

using testing::ElementsAre;

class StencilSeries : public testing::TestWithParam<Mode> {
 protected:
  Program program_{Options{.threads = 2, .mode = GetParam()}};
  Mesh& mesh_ = program_.mesh("plate", {300, 9});
  Field<double> u_ = mesh_.field<double>("u");
  Reduction<double> sums_ = program_.reduction<double>(2);

  void set(double value) {
    mesh_.loop(
        "set", mesh_.interior(), [value](auto u) { u() = value; }, write(u_));
  }
  void add() {
    mesh_.loop(
        "add", mesh_.interior(), [](auto u, auto r) { r(u()), r[1](1.0); }, read(u_),
        reduce_sum(sums_));
  }
};

TEST_P(StencilSeries, HasTheValuesOfEachStepInOneChain) {
  for (int step = 1; step <= 3; ++step) {
    set(step);
    add();
    if (step == 2) add();  // both loops count for this record
    sums_.record();
  }
  EXPECT_EQ(program_.counters().chains, 0U);
  EXPECT_THAT(sums_.series(), ElementsAre(2700, 2 * 5400, 8100));
  EXPECT_EQ(program_.counters().chains, 1U);
  EXPECT_THAT(sums_.series(1), ElementsAre(2700, 5400, 2700));
  EXPECT_THROW((void)sums_.value(), Error);  // no loop since the last record()
  EXPECT_THROW((void)sums_.series(2), Error);
}

TEST_P(StencilSeries, GoesOnFromChainToChain) {
  set(1);
  add();
  program_.run();  // record() may be called after the chain has run
  sums_.record();
  set(2);
  add();
  sums_.record();
  set(3);
  add();
  EXPECT_EQ(sums_.value(), 8100);  // sum of the loops since the last record()
  set(4);
  add();
  sums_.record();
  EXPECT_THAT(sums_.series(), ElementsAre(2700, 5400, 10800));
  sums_.clear_series();
  EXPECT_TRUE(sums_.series().empty());
  add();
  sums_.record();
  EXPECT_THAT(sums_.series(), ElementsAre(10800));
}

TEST_P(StencilSeries, LoopsOfAnEarlierChainCount) {
  set(1);
  add();
  EXPECT_EQ(u_.view()(0), 1);  // runs the loops without reading the sum
  add();
  sums_.record();
  set(5);
  add();  // in the same chain as record()
  sums_.record();
  EXPECT_THAT(sums_.series(), ElementsAre(2 * 2700, 13500));
}

TEST_P(StencilSeries, AnotherOperationAndOtherReductionsHaveTheirOwn) {
  const auto least = program_.reduction<float>();
  const auto add_least = [&](auto how) {
    mesh_.loop(
        "least", mesh_.interior(), [](auto u, auto r) { r(u()); }, read(u_), how);
    least.record();
  };
  set(5);
  add();
  add_least(reduce_min(least));
  set(7);
  sums_.record();
  add_least(reduce_max(least));
  add_least(reduce_sum(least));
  EXPECT_THAT(least.series(), ElementsAre(5, 7, 7 * 2700));
  EXPECT_THAT(sums_.series(), ElementsAre(13500));
}

TEST_P(StencilSeries, NeedsALoop) {
  EXPECT_THROW(sums_.record(), Error);
  set(1);
  add();
  sums_.record();
  EXPECT_THROW(sums_.record(), Error);
  EXPECT_THAT(sums_.series(), ElementsAre(2700));
}

INSTANTIATE_TEST_SUITE_P(Modes, StencilSeries,
                         testing::Values(Mode::tiled, Mode::untiled, Mode::checked),
                         [](const auto& given) { return std::string(to_string(given.param)); });

TEST(StencilSeriesLong, OverMoreLoopsThanMayWait) {
  Program program(Options{.threads = 1});
  Mesh& mesh = program.mesh("row", {4});
  const auto sum = program.reduction<std::int64_t>();
  for (int step = 0; step < 25'000; ++step) {
    mesh.loop(
        "add", mesh.interior(), [step](auto r) { r(step); }, reduce_sum(sum));
    sum.record();
  }
  const std::vector<std::int64_t> all = sum.series();
  ASSERT_EQ(all.size(), 25'000U);
  for (int step = 0; step < 25'000; ++step)
    ASSERT_EQ(all[static_cast<std::size_t>(step)], 4 * step) << step;
}

}  // namespace
}  // namespace Atoll::stencil
