// Threads that wait for others within a chain sleep: they take nothing from those who work.
#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

constexpr int kPoints = 64;
constexpr auto kLong = std::chrono::milliseconds(200);

/// The processor time of the calling thread, in seconds.
double used_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Thread 1 takes long for the upper half, which what thread 0 does next reads. Returns the
/// processor time that thread 0 used meanwhile.
double used_while_waiting(Program& program) {
  Mesh& mesh = program.mesh("row", {kPoints});
  const auto before = mesh.field<double>("before", {.halo = 1});
  const auto upper = mesh.field<double>("upper", {.halo = 1});
  const auto after = mesh.field<double>("after");
  mesh.loop(
      "before", mesh.interior(), [](auto time) { time() = used_time(); }, write(before));
  mesh.loop(
      "upper", Range::of(kPoints / 2, kPoints),
      [](auto value, Index at) {
        if (at.x == kPoints - 1) std::this_thread::sleep_for(kLong);
        value() = at.x;
      },
      write(upper), index());
  mesh.loop(
      "after", mesh.interior(), [](auto time, auto value) { time() = used_time() + 0 * value(1); },
      write(after), read(upper, star(1)));
  // The last point before the bound of the two halves depends on both.
  constexpr int kBound = kPoints / 2 - 1;
  return after.view()(kBound) - before.view()(kBound);
}

class StencilWait : public testing::TestWithParam<Options> {};

TEST_P(StencilWait, WhoWaitsTakesLittleTime) {
  Program program(GetParam());
  const double used = used_while_waiting(program);
  ASSERT_EQ(program.last_plan()->bands, 2);
  EXPECT_GE(used, 0);
  EXPECT_LT(used, 0.25 * std::chrono::duration<double>(kLong).count());
}

TEST_P(StencilWait, WhoSleepsIsWokenWhenAKernelThrows) {
  Program program(GetParam());
  Mesh& mesh = program.mesh("row", {kPoints});
  const auto field = mesh.field<double>("f", {.halo = 1}), other = mesh.field<double>("g");
  mesh.loop(
      "throws", mesh.interior(),
      [](auto value, Index at) {
        if (at.x == kPoints - 1) {
          std::this_thread::sleep_for(kLong / 4);
          throw Error::failed("kernel", "it throws", "leave it");
        }
        value() = at.x;
      },
      write(field), index());
  mesh.loop(
      "next", mesh.interior(), [](auto to, auto from) { to() = from(1); }, write(other),
      read(field, star(1)));
  EXPECT_THROW(program.run(), Error);
}

INSTANTIATE_TEST_SUITE_P(Modes, StencilWait,
                         testing::Values(Options{.threads = 2, .mode = Mode::untiled},
                                         Options{.threads = 2, .tile = {{8, 0, 0}}}));

TEST(StencilWaiting, ManyThreadsOnFewCoresAgree) {
  Program program(Options{.threads = 7, .mode = Mode::untiled});
  Mesh& mesh = program.mesh("row", {7});
  const auto field = mesh.field<double>("f");
  mesh.loop(
      "start", mesh.interior(), [](auto f) { f() = 0; }, write(field));
  constexpr int kLoops = 3000;
  for (int l = 0; l < kLoops; ++l)
    mesh.loop(
        "one more", mesh.interior(), [](auto f) { f() += 1; }, increment(field));
  EXPECT_EQ(field.copy(), std::vector<double>(7, kLoops));
}

}  // namespace
}  // namespace Atoll::stencil
