// Misuse of stencils that once crashed or went undetected. In every mode, each case throws an
// Error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <limits>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns the message of the input error that `work` throws.
std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
    return error.what();
  }
  return "no error";
}

class StencilErrors : public testing::TestWithParam<Mode> {
 protected:
  Program program_{Options{.threads = 2, .mode = GetParam()}};
  Mesh& mesh_ = program_.mesh("plate", {32, 16});
  Field<double> u_ = mesh_.field<double>("u", {.halo = 1});

  void SetUp() override {
    mesh_.loop(
        "start", mesh_.interior(), [](auto u, Index at) { u(0, 0) = at.x + 0.5; }, write(u_),
        index());
  }
};

TEST_P(StencilErrors, EmptyHandles) {
  const Field<double> field;
  const Column<double> column;
  const Reduction<double> reduction;
  EXPECT_THAT(error_of([&] { (void)read(field); }), HasSubstr("field: this handle is empty"));
  EXPECT_THAT(error_of([&] { (void)write(column); }), HasSubstr("column: this handle is empty"));
  EXPECT_THAT(error_of([&] { (void)field.view(); }), HasSubstr("is empty"));
  EXPECT_THAT(error_of([&] { (void)field.name(); }), HasSubstr("is empty"));
  EXPECT_THAT(error_of([&] { (void)field.copy(); }), HasSubstr("is empty"));
  EXPECT_THAT(error_of([&] { mirror(field, {0, false}, 1); }), HasSubstr("is empty"));
  EXPECT_THAT(error_of([&] { (void)reduce_sum(reduction); }), HasSubstr("reduction: this handle"));
  EXPECT_THAT(error_of([&] { (void)reduction.value(); }), HasSubstr("is empty"));
  EXPECT_EQ(u_.view()(31, 15), 31.5);  // the program remains usable
}

TEST_P(StencilErrors, AValueThatTheReductionDoesNotHave) {
  for (const int which : {2, 5, 100'000'000, -1}) {
    Program program(Options{.threads = 2, .mode = GetParam()});
    Mesh& mesh = program.mesh("plate", {600, 16});
    const auto sums = program.reduction<double>(2);
    mesh.loop(
        "sums", mesh.interior(),
        [which](auto r, Index at) { r[at.x == 300 && at.y == 3 ? which : 1](1.0); },
        reduce_sum(sums), index());
    const std::string says = error_of([&] { (void)sums.value(1); });
    EXPECT_THAT(says, HasSubstr("loop 'sums'"));
    const std::string value = GetParam() == Mode::checked ? "value " + std::to_string(which)
                                                          : "a value beyond the last one";
    EXPECT_THAT(says, HasSubstr(value + " of a reduction that has 2"));
  }
}

TEST_P(StencilErrors, AConstantValueThatTheReductionDoesNotHave) {
  const auto sums_of = [&](auto kernel) {
    Program program(Options{.threads = 2, .mode = GetParam()});
    Mesh& mesh = program.mesh("plate", {600, 16});
    const auto sums = program.reduction<float>(3);
    mesh.loop("sums", mesh.interior(), kernel, reduce_sum(sums));
    return error_of([&] { (void)sums.value(); });
  };
  const std::string says = "of a reduction that has 3";
  EXPECT_THAT(sums_of([](auto r) { r[3](1.0F); }), HasSubstr(says));
  EXPECT_THAT(sums_of([](auto r) { r[7](1.0F); }), HasSubstr(says));
  EXPECT_THAT(sums_of([](auto r) { r[8](1.0F); }), HasSubstr(says));
  EXPECT_THAT(sums_of([](auto r) { r[-1](1.0F); }), HasSubstr(says));
  EXPECT_EQ(sums_of([](auto r) { r[2](1.0F); }), "no error");
}

TEST_P(StencilErrors, TheLastValueIsRight) {
  const auto all = program_.reduction<std::int64_t>(3);
  mesh_.loop(
      "sums", mesh_.interior(), [](auto r) { r[2](2), r[0](1), r(5); }, reduce_sum(all));
  EXPECT_EQ(all.value(0), 6 * 512);
  EXPECT_EQ(all.value(1), 0);
  EXPECT_EQ(all.value(2), 2 * 512);
}

TEST_P(StencilErrors, PointsAndComponentsThatAFieldDoesNotHave) {
  EXPECT_THAT(error_of([&] { (void)u_.copy(mesh_.interior(), 3); }), HasSubstr("no component 3"));
  EXPECT_THAT(error_of([&] { (void)u_.copy(mesh_.interior(), -1); }), HasSubstr("no component"));
  EXPECT_THAT(error_of([&] { (void)u_.copy(Range::of(0, 34, 0, 16)); }), HasSubstr("[0,34)"));
  EXPECT_THAT(error_of([&] { (void)u_.copy(Range::of(0, 32, -2, 16)); }), HasSubstr("leaves it"));
  EXPECT_THAT(error_of([&] { (void)u_.copy(Range::of(0, 2, 0, 2, 0, 2)); }), HasSubstr("leaves"));
  EXPECT_EQ(u_.copy(Range::of(-1, 33, -1, 17)).size(), 34U * 18U);
  EXPECT_TRUE(u_.copy(Range::of(90, 90, 0, 4)).empty());
  // A column has one value for all points.
  const auto column = mesh_.column<double>("column");
  EXPECT_EQ(column.copy(mesh_.interior()).size(), 512U);
  EXPECT_THAT(error_of([&] { column.assign(mesh_.interior(), std::vector<double>(512)); }),
              HasSubstr("leaves it"));
}

TEST_P(StencilErrors, AssignIsTheInverseOfCopy) {
  const auto pair = mesh_.field<float>("pair", {.halo = 2, .components = 2});
  std::vector<float> values(512);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  pair.assign(values);
  EXPECT_EQ(pair.copy(), values);
  EXPECT_EQ(pair.view()(3, 2), 2 * 32 + 3);
  const Range corner = Range::of(-2, 0, -2, 1);
  pair.assign(corner, std::vector<float>{1, 2, 3, 4, 5, 6}, 1);
  EXPECT_THAT(pair.copy(corner, 1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(pair.copy(), values);  // the other component is unchanged
  EXPECT_THAT(error_of([&] { pair.assign(std::vector<float>(511)); }),
              HasSubstr("511 values are given for 512 points"));
  EXPECT_THAT(error_of([&] { pair.assign(corner, std::vector<float>(6), 2); }),
              HasSubstr("no component 2"));
  EXPECT_THAT(error_of([&] { pair.assign(Range::of(31, 35, 0, 1), std::vector<float>(4)); }),
              HasSubstr("leaves it"));
}

TEST_P(StencilErrors, FieldsAndReductionsOfAnotherProgram) {
  Program other(Options{.threads = 1, .mode = GetParam()});
  Mesh& same_name = other.mesh("plate", {32, 16});
  const auto alien = same_name.field<double>("u", {.halo = 1});
  const auto sum = other.reduction<double>();
  EXPECT_THAT(error_of([&] {
                mesh_.loop(
                    "mix", mesh_.interior(), [](auto u, auto v) { u() = v(); }, write(u_),
                    read(alien));
              }),
              HasSubstr("the field 'u' belongs to another program"));
  EXPECT_THAT(error_of([&] {
                exchange(u_, {0, false}, alien, 1);
              }),
              HasSubstr("belongs to another program"));
  EXPECT_THAT(error_of([&] {
                mesh_.loop(
                    "mix", mesh_.interior(), [](auto u, auto r) { r(u()); }, read(u_),
                    reduce_sum(sum));
              }),
              HasSubstr("a reduction belongs to another program"));
}

TEST_P(StencilErrors, AMirrorOfFewLayersIsMirroredAgain) {
  const auto values = [&](int points, bool staggered, int depth, int sign, MirrorAt at) {
    const std::string name = std::to_string(points) + (staggered ? "s" : "c") +
                             std::to_string(sign) + (at == MirrorAt::point ? "p" : "f");
    Mesh& mesh = program_.mesh("row" + name, {points});
    const auto f = mesh.field<double>("f", {.halo = depth, .staggered = {staggered}});
    mesh.loop(
        "start", f.storage().interior(), [](auto u, Index i) { u() = i.x + 1; }, write(f), index());
    mirror(f, {0, false}, depth, sign, at);
    mirror(f, {0, true}, depth, sign, at);
    return f.copy(f.storage().whole());
  };
  EXPECT_THAT(values(2, false, 3, 1, MirrorAt::face), ElementsAre(2, 2, 1, 1, 2, 2, 1, 1));
  EXPECT_THAT(values(1, false, 2, 1, MirrorAt::face), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(values(1, false, 3, -1, MirrorAt::face), ElementsAre(-1, 1, -1, 1, -1, 1, -1));
  EXPECT_THAT(values(3, false, 2, -1, MirrorAt::face), ElementsAre(-2, -1, 1, 2, 3, -3, -2));
  // Points 1 2 of a staggered row of one cell: the mirror planes are at the points.
  EXPECT_THAT(values(1, true, 3, 1, MirrorAt::face), ElementsAre(2, 1, 2, 1, 2, 1, 2, 1));
  EXPECT_THAT(values(2, true, 3, 1, MirrorAt::face), ElementsAre(2, 3, 2, 1, 2, 3, 2, 1, 2));
  EXPECT_THAT(values(1, false, 2, 1, MirrorAt::point), ElementsAre(1, 1, 1, 1, 1));
}

TEST_P(StencilErrors, AForkedChildIsRefused) {
  const auto sum = program_.reduction<double>();
  const auto total = [&] {
    mesh_.loop(
        "sum", mesh_.interior(), [](auto u, auto r) { r(u()); }, read(u_), reduce_sum(sum));
    return sum.value();
  };
  EXPECT_EQ(total(), 8192);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    int code = 1;
    try {
      code = total() == 8192 ? 0 : 2;  // allowed with one thread
    } catch (const Error& error) {
      code = std::string(error.what()).find("child of fork()") != std::string::npos ? 0 : 3;
    }
    ::_exit(code);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(total(), 8192);  // the parent remains usable
}

TEST_P(StencilErrors, TheGreatestOfNegativeValues) {
  const auto doubles = program_.reduction<double>();
  const auto floats = program_.reduction<float>(2);
  const auto bytes = program_.reduction<std::int8_t>();
  const auto words = program_.reduction<std::int64_t>();
  mesh_.loop(
      "greatest", mesh_.interior(),
      [](auto d, auto f, auto b, auto w, Index at) {
        d(-1e-300 - at.x), f[1](-2.5F - static_cast<float>(at.y)), b(-100 - at.y);
        w(std::numeric_limits<std::int64_t>::min() + at.x);
      },
      reduce_max(doubles), reduce_max(floats), reduce_max(bytes), reduce_max(words), index());
  EXPECT_EQ(doubles.value(), -1e-300);
  EXPECT_EQ(floats.value(1), -2.5F);
  EXPECT_EQ(floats.value(0), -std::numeric_limits<float>::infinity());  // the maximum of no values
  EXPECT_EQ(bytes.value(), -100);
  EXPECT_EQ(words.value(), std::numeric_limits<std::int64_t>::min() + 31);
  const auto least = program_.reduction<std::uint8_t>();
  mesh_.loop(
      "least", mesh_.interior(), [](auto r, Index at) { r(200 + at.x); }, reduce_min(least),
      index());
  EXPECT_EQ(least.value(), 200);
}

INSTANTIATE_TEST_SUITE_P(Modes, StencilErrors,
                         testing::Values(Mode::tiled, Mode::untiled, Mode::checked),
                         [](const auto& given) { return std::string(to_string(given.param)); });

TEST(StencilProgramErrors, TooManyThreads) {
  EXPECT_THAT(error_of([] { Program program(Options{.threads = 100'000}); }),
              HasSubstr("100000 threads are too many"));
  EXPECT_THAT(error_of([] { Program program(Options{.threads = -1}); }), HasSubstr("-1 threads"));
}

}  // namespace
}  // namespace Atoll::stencil
