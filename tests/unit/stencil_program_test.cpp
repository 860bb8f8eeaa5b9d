// Programs: operations that run the queue, reductions, errors in kernels, reuse of plans, reports.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

Options with(int threads, Mode mode, TileSize tile = {}) {
  return {.threads = threads, .mode = mode, .tile = tile};
}

TEST(StencilProgram, ValuesAreThoseOfWhenTheLoopWasQueued) {
  Program program(with(1, Mode::tiled));
  Mesh& mesh = program.mesh("row", {5});
  const auto f = mesh.field<int>("f");
  int captured = 7;
  int argument = 30;
  mesh.loop(
      "set", mesh.interior(), [captured](auto g, int more) { g() = captured + more; }, write(f),
      value(argument));
  captured = argument = 1000;
  EXPECT_EQ(f.view()(3), 37);
}

TEST(StencilProgram, OnlyAskingForDataRunsTheQueue) {
  Program program(with(1, Mode::tiled));
  Mesh& mesh = program.mesh("row", {5});
  const auto f = mesh.field<double>("f");
  const auto sum = program.reduction<double>();
  mesh.loop(
      "set", mesh.interior(), [](auto g) { g() = 2; }, write(f));
  mesh.loop(
      "sum", mesh.interior(), [](auto g, auto s) { s(g()); }, read(f), reduce_sum(sum));
  (void)f.name();
  (void)program.chain();
  (void)program.counters();
  (void)mesh.field<double>("another");
  EXPECT_EQ(program.waiting(), 2U);
  EXPECT_EQ(sum.value(), 10);
  EXPECT_EQ(program.waiting(), 0U);
  EXPECT_EQ(sum.value(), 10);  // repeated reads return the same value
  mesh.loop(
      "sum", mesh.interior(), [](auto g, auto s) { s(g() * 3); }, read(f), reduce_sum(sum));
  mesh.loop(
      "sum", mesh.interior(), [](auto g, auto s) { s(g()); }, read(f), reduce_sum(sum));
  EXPECT_EQ(sum.value(), 40);  // the sum of both loops, started anew
}

TEST(StencilProgram, ReductionsLeaveOutWhatIsNoNumberAndHaveOneZero) {
  Program program(with(2, Mode::tiled, {{3}}));
  Mesh& mesh = program.mesh("row", {1000});
  const auto least = program.reduction<double>(), greatest = program.reduction<double>();
  const auto small = program.reduction<std::int8_t>();
  mesh.loop(
      "values", mesh.interior(),
      [](Index i, auto low, auto high, auto tiny) {
        low(i.x == 500 ? std::numeric_limits<double>::quiet_NaN() : 1.0 * (i.x + 3));
        high(i.x % 2 == 0 ? -0.0 : 0.0);
        tiny(static_cast<std::int8_t>(i.x % 100 - 50));
      },
      index(), reduce_min(least), reduce_max(greatest), reduce_min(small));
  EXPECT_EQ(least.value(), 3);
  EXPECT_FALSE(std::signbit(greatest.value()));
  EXPECT_EQ(small.value(), -50);
}

TEST(StencilProgram, AnExceptionOfAKernelEndsTheChainAndTheProgramIsVoid) {
  for (const int threads : {1, 3})
    for (const Mode mode : {Mode::tiled, Mode::untiled, Mode::checked}) {
      Program program(with(threads, mode, {{8, 2}}));
      Mesh& mesh = program.mesh("plane", {64, 64});
      const auto f = mesh.field<double>("f"), g = mesh.field<double>("g");
      mesh.loop(
          "fine", mesh.interior(), [](auto a) { a() = 1; }, write(f));
      mesh.loop(
          "throws", mesh.interior(),
          [](auto a, auto b, Index i) {
            if (i.x == 40 && i.y == 33) throw std::domain_error("a negative mass");
            b() = a();
          },
          read(f), write(g), index());
      mesh.loop(
          "after", mesh.interior(), [](auto a) { a() = 5; }, write(f));
      EXPECT_THROW(program.run(), std::domain_error);
      const auto expect_void = [](auto&& work) {
        try {
          work();
          ADD_FAILURE() << "it isn't void";
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), Error::Kind::failed);
          EXPECT_NE(std::string(error.what()).find("'throws'"), std::string::npos) << error.what();
        }
      };
      expect_void([&] { (void)f.view(); });
      expect_void([&] {
        mesh.loop(
            "more", mesh.interior(), [](auto a) { a() = 5; }, write(f));
      });
      expect_void([&] { program.run(); });
    }
}

TEST(StencilProgram, PlansAreUsedAgainWhenTheirChainComesAgain) {
  Program program(with(2, Mode::tiled, {{16}}));
  Mesh& mesh = program.mesh("row", {400});
  Field<double> a = mesh.field<double>("a", {.halo = 1}), b = mesh.field<double>("b", {.halo = 1});
  const auto least = program.reduction<double>();
  for (int s = 0; s < 20; ++s) {
    mirror(a, {0, false}, 1), mirror(a, {0, true}, 1);
    mesh.loop(
        "step", mesh.interior(), [s](auto f, auto g) { g() = f(1) - f(-1) + s; }, read(a, star(1)),
        write(b));
    mesh.loop(
        "least", mesh.interior(), [](auto f, auto r) { r(f()); }, read(b), reduce_min(least));
    (void)least.value();
    std::swap(a, b);
  }
  EXPECT_EQ(program.counters().chains, 20U);
  EXPECT_EQ(program.counters().plans, 2U);  // one for each order of the alternating fields
  EXPECT_EQ(program.counters().loops, 80U);
}

TEST(StencilProgram, TheReportCountsBytesByThePapersRule) {
  Options options = with(1, Mode::tiled, {{8}});
  options.report = true;
  Program program(options);
  Mesh& mesh = program.mesh("row", {100});
  const auto a = mesh.field<double>("a", {.halo = 1});
  const auto b = mesh.field<float>("b");
  for (int s = 0; s < 3; ++s) {
    mesh.loop(
        "set", a.storage().whole(), [](auto f) { f() = 1; }, write(a));
    mesh.loop(
        "use", mesh.interior(), [](auto f, auto g) { g() += static_cast<float>(f(1)); },
        read(a, star(1)), increment(b));
  }
  program.run();
  const Report report = program.report();
  ASSERT_EQ(report.loops.size(), 2U);
  EXPECT_EQ(report.loops[0].name, "set");
  EXPECT_EQ(report.loops[0].calls, 3U);
  EXPECT_EQ(report.loops[0].points, 306U);
  EXPECT_EQ(report.loops[0].bytes, 306U * 8);
  EXPECT_EQ(report.loops[1].bytes, 300U * (8 + 2 * 4));
  EXPECT_GT(report.loops[1].seconds, 0);
  EXPECT_NE(to_string(report).find("average bandwidth"), std::string::npos);
}

TEST(StencilProgram, TemporariesAreWrittenByTheChainThatReadsThem) {
  Program program(with(1, Mode::tiled));
  Mesh& mesh = program.mesh("row", {10});
  const auto f = mesh.field<double>("f");
  const auto work = mesh.field<double>("work", {.temporary = true});
  const auto set = [&] {
    mesh.loop(
        "set", mesh.interior(), [](auto w) { w() = 3; }, write(work));
  };
  const auto use = [&] {
    mesh.loop(
        "use", mesh.interior(), [](auto w, auto g) { g() = w(); }, read(work), write(f));
  };
  set(), use();
  EXPECT_EQ(f.view()(9), 3);
  use();  // `work` was written in the previous chain
  EXPECT_THROW(program.run(), Error);
}

}  // namespace
}  // namespace Atoll::stencil
