// Threads that wait within a chain sleep, so that they take no CPU time from working threads.
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

/// Returns the CPU time of the calling thread in seconds.
double used_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A mesh whose fields make thread 0 wait for thread 1.
struct Row {
  explicit Row(Program& program) : mesh(program.mesh("row", {kPoints})) {}
  Mesh& mesh;
  Field<double> before = mesh.field<double>("before", {.halo = 1});
  Field<double> upper = mesh.field<double>("upper", {.halo = 1});
  Field<double> after = mesh.field<double>("after");
  Field<double> seen = mesh.field<double>("seen");
};

/// Thread 1 takes long for the upper half, which thread 0 reads in the next loop. Returns the CPU
/// time that thread 0 used until then.
double used_while_waiting(Row& row, int add) {
  auto& [mesh, before, upper, after, seen] = row;
  mesh.loop(
      "before", mesh.interior(), [](auto time) { time() = used_time(); }, write(before));
  mesh.loop(
      "upper", Range::of(kPoints / 2, kPoints),
      [add](auto value, Index at) {
        // The first and the last point of the upper half are late.
        if (at.x == kPoints / 2 || at.x == kPoints - 1) std::this_thread::sleep_for(kLong / 2);
        value() = at.x + add;
      },
      write(upper), index());
  mesh.loop(
      "after", mesh.interior(),
      [](auto time, auto now, auto value) {
        now() = value(1);
        time() = used_time();
      },
      write(after), write(seen), read(upper, star(1)));
  // The last point of the lower half reads the upper half.
  constexpr int kBound = kPoints / 2 - 1;
  EXPECT_EQ(seen.view()(kBound), kPoints / 2 + add);
  return after.view()(kBound) - before.view()(kBound);
}

class StencilWait : public testing::TestWithParam<Options> {};

TEST_P(StencilWait, WhoWaitsTakesLittleTime) {
  Program program(GetParam());
  Row row(program);
  for (const int add : {100, 200}) {  // waits of the first chain don't affect the second one
    const double used = used_while_waiting(row, add);
    ASSERT_EQ(program.last_plan()->bands(), 2);
    EXPECT_GE(used, 0);
    EXPECT_LT(used, 0.25 * std::chrono::duration<double>(kLong).count());
  }
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

/// Each group of tiles must wait for both adjacent bands, and each crossing for the adjacent gaps.
/// One thread at a time is slow, so that a missing wait is detected.
TEST(StencilWaiting, EveryThreadOfAGridIsWaitedFor) {
  constexpr int kSize = 16, kThreads = 4;
  Program program(Options{.threads = kThreads, .tile = {{0, 4, 4}}});
  Mesh& mesh = program.mesh("cube", {4, kSize, kSize});
  const auto u = mesh.field<double>("u", {.halo = 1}), v = mesh.field<double>("v", {.halo = 1}),
             w = mesh.field<double>("w", {.halo = 1}), last = mesh.field<double>("last");
  const auto slow_half = [](int at) { return at / (kSize / 2); };
  for (int slow = 0; slow < kThreads; ++slow) {
    mesh.loop(
        "first", mesh.interior(),
        [=](auto f, Index at) {
          if (at.x == 0 && at.y % (kSize / 2) == 2 && at.z % (kSize / 2) == 2 &&
              2 * slow_half(at.z) + slow_half(at.y) == slow)
            std::this_thread::sleep_for(kLong / 4);
          f() = 1000 * slow + 100 * at.z + at.y;
        },
        write(u), index());
    const auto sum = [](auto f, auto g) {
      g() = f(0, 0, 0) + f(0, -1, 0) + f(0, 1, 0) + f(0, 0, -1) + f(0, 0, 1);
    };
    const auto step = [&](const auto& from, const auto& to) {
      for (int d : {1, 2})
        for (const bool far : {false, true}) copy_outwards(from, {d, far}, 1);
      mesh.loop("step", mesh.interior(), sum, read(from, star(1)), write(to));
    };
    step(u, v), step(v, w), step(w, last);
    const auto values = last.view();
    ASSERT_EQ(program.last_plan()->segments[0].tiling->grid, (Grid{2, 2, 1}));
    for (int z = 3; z < kSize - 3; ++z)
      for (int y = 3; y < kSize - 3; ++y)
        ASSERT_EQ(values(1, y, z), 125 * (1000 * slow + 100 * z + y)) << z << " " << y;
  }
}

/// In untiled mode, there is a barrier between the loops.
TEST(StencilWaiting, LoopsThatRunAloneWaitForEachOther) {
  Program program(Options{.threads = 3, .mode = Mode::untiled});
  Mesh& mesh = program.mesh("row", {kPoints});
  auto from = mesh.field<double>("from", {.halo = 1}), to = mesh.field<double>("to", {.halo = 1});
  mesh.loop(
      "start", mesh.interior(), [](auto f, Index at) { f() = at.x; }, write(from), index());
  for (int step = 0; step < 500; ++step, std::swap(from, to)) {
    periodic(from, 0, 1);
    mesh.loop(
        "move", mesh.interior(), [](auto f, auto g) { g() = f(1); }, read(from, star(1)),
        write(to));
  }
  std::vector<double> expected;
  for (int x = 0; x < kPoints; ++x) expected.push_back((x + 500) % kPoints);
  EXPECT_EQ(from.copy(), expected);
}

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
