// Programs of loops give the same bits in every mode, with any tiles and threads, and as plain
// loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "atoll/stencil/stencil.hpp"

namespace Atoll::stencil {
namespace {

/// All values of a run, as bit patterns.
using Bits = std::vector<std::uint64_t>;

template <class T, bool kColumn>
void add_bits(Bits& bits, const Field<T, kColumn>& field) {
  for (int c = 0; c < field.storage().options().components; ++c)
    for (const T value : field.copy(field.storage().whole(), c)) {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof value);
      bits.push_back(word);
    }
}

/// Loops like those of a two-dimensional gas simulation: fields in cells, on nodes and on faces,
/// coordinates, mirrors, sweeps in x and y, a minimum and several sums. `periodic_x` connects the
/// left and right sides.
Bits flow(const Options& options, int nx, int ny, bool periodic_x) {
  Program program(options);
  Mesh& mesh = program.mesh("plane", {nx, ny});
  const auto rho = mesh.field<double>("rho", {.halo = 2});
  const auto e = mesh.field<double>("e", {.halo = 2});
  const auto p = mesh.field<double>("p", {.halo = 2});
  const auto u = mesh.field<double>("u", {.halo = 2, .staggered = {true, true}, .components = 2});
  const auto flux = mesh.field<float>("flux", {.halo = 2, .staggered = {true, false}});
  const auto marks = mesh.field<std::int32_t>("marks", {.halo = 2});
  const auto dx = mesh.field<double>("dx", {.halo = 2, .flat = {false, true}});
  const auto dy = mesh.column<double>("dy", {.halo = 2});
  const auto least = program.reduction<double>();
  const auto sums = program.reduction<double>(2);
  const auto count = program.reduction<std::int64_t>();

  mesh.loop(
      "dx", Range::of(-2, nx + 2, 0, 1), [](auto f, Index i) { f() = 1 + 0.01 * i.x; }, write(dx),
      index());
  mesh.loop(
      "dy", Range::of(0, 1, -2, ny + 2), [](auto f, Index i) { f() = 2 - 0.01 * i.y; }, write(dy),
      index());
  mesh.loop(
      "start", rho.storage().whole(),
      [](auto r, auto energy, auto mark, auto pressure, Index i) {
        r() = 1 + ((i.x * 7 + i.y * 3) & 15) / 16.0;
        energy() = 2 + ((i.x * 5 - i.y * 11) & 31) / 32.0;
        mark() = i.x ^ i.y;
        pressure() = 0;
      },
      write(rho), write(e), write(marks), write(p), index());
  mesh.loop(
      "start nodes", u.storage().whole(),
      [](auto v, Index i) {
        v[0]() = ((i.x * 3 + i.y) & 7) / 8.0 - 0.4;
        v[1]() = ((i.x - i.y * 5) & 7) / 8.0 - 0.4;
      },
      write(u), index());
  Bits bits;
  double dt = 0.01;
  for (int step = 0; step < 3; ++step) {
    mesh.loop(
        "gas", mesh.interior(),
        [](auto r, auto energy, auto out) {
          out() = std::sqrt(0.4 * r() * energy()) + (energy() > 2.5 ? r() / energy() : 0.25);
        },
        read(rho), read(e), write(p));
    const auto boundary = [&](const auto& field) {
      mirror(field, {1, false}, 2);
      mirror(field, {1, true}, 2, -1);
      if (periodic_x) {
        periodic(field, 0, 2);
      } else {
        mirror(field, {0, false}, 2);
        copy_outwards(field, {0, true}, 2);
      }
    };
    boundary(p);
    mesh.loop(
        "accelerate", Range::of(0, nx + 1, 0, ny + 1),
        [dt](auto pressure, auto v, auto x, auto y) {
          v[0]() -= dt * (pressure() - pressure(-1, 0) + pressure(0, -1) - pressure(-1, -1)) / x();
          v[1]() -= dt * (pressure() - pressure(0, -1) + pressure(-1, 0) - pressure(-1, -1)) / y();
        },
        read(p, box({-1, -1}, {0, 0})), increment(u), read(dx), read(dy));
    const auto sweep = [&](int d) {
      const Stencil ahead = line(d, -1, 1);
      mesh.loop(
          "flux", Range::of(0, nx + 1, 0, ny),
          [d](auto r, auto v, auto f) {
            const double speed = d == 0 ? v[0]() + v[0](0, 1) : v[1]() + v[1](1, 0);
            const double up = d == 0 ? r(-1, 0) : r(0, -1);
            f() = static_cast<float>(speed > 0 ? up * speed : r() * speed);
          },
          read(rho, box({-1, -1}, {0, 0})), read(u, Stencil{{0, 0}, {0, 1}, {1, 0}}), write(flux));
      mesh.loop(
          "advect", mesh.interior(),
          [dt](auto f, auto r, auto energy) {
            r() += dt * (static_cast<double>(f()) - static_cast<double>(f(1, 0)));
            energy() = 0.5 * (energy() + 2) + dt * static_cast<double>(f(1, 0));
          },
          read(flux, line(0, 0, 1)), read_write(rho), read_write(e));
      (void)ahead;
      boundary(rho);
      boundary(e);
    };
    sweep(step % 2);
    sweep(1 - step % 2);
    mesh.loop(
        "mark", mesh.interior(),
        [](auto r, auto mark, auto total) {
          mark() += r() > 1.5 ? 3 : -1;
          total(mark());
        },
        read(rho, star(1)), read_write(marks), reduce_sum(count));
    constant(marks, {0, false}, 1, 4);
    mesh.loop(
        "least", mesh.interior(),
        [](auto pressure, auto energy, auto smallest) { smallest(pressure() / energy()); }, read(p),
        read(e), reduce_min(least));
    mesh.loop(
        "sums", mesh.interior(),
        [](auto r, auto energy, auto v, auto s) {
          s[0](r() * 0.1);
          s[1](r() * energy() + v[0](1, 1));
        },
        read(rho), read(e), read(u, box({0, 0}, {1, 1})), reduce_sum(sums));
    if (step != 1) {  // two chains of one step, and one of two steps
      dt = 0.01 * least.value();
      bits.push_back(std::bit_cast<std::uint64_t>(dt));
    }
  }
  for (const double value : {sums.value(0), sums.value(1)})
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  bits.push_back(static_cast<std::uint64_t>(count.value()));
  add_bits(bits, rho), add_bits(bits, e), add_bits(bits, p), add_bits(bits, u);
  add_bits(bits, flux), add_bits(bits, marks), add_bits(bits, dx), add_bits(bits, dy);
  return bits;
}

Options with(int threads, Mode mode, TileSize tile = {}) {
  return {.threads = threads, .mode = mode, .tile = tile};
}

void expect_same_bits(int nx, int ny, bool periodic_x) {
  const Bits expected = flow(with(1, Mode::untiled), nx, ny, periodic_x);
  for (const int threads : {1, 2, 3, 7}) {
    EXPECT_EQ(flow(with(threads, Mode::untiled), nx, ny, periodic_x), expected) << threads;
    for (const TileSize& tile :
         {TileSize{}, TileSize{{1, 1}}, TileSize{{16, 4}}, TileSize{{0, 5}}, TileSize{{7, 0}}})
      EXPECT_EQ(flow(with(threads, Mode::tiled, tile), nx, ny, periodic_x), expected)
          << nx << " x " << ny << ", " << threads << " threads, " << to_string(tile);
  }
  EXPECT_EQ(flow(with(1, Mode::checked), nx, ny, periodic_x), expected) << "checked";
}

TEST(StencilRun, TheSameBitsForAnyTilesThreadsAndModes) {
  expect_same_bits(37, 29, false);
  expect_same_bits(64, 33, true);
}

TEST(StencilRun, TheSameBitsWhereOneCellIsAll) {
  expect_same_bits(1, 23, true);
  expect_same_bits(41, 1, true);
}

TEST(StencilRun, SumsOfLongRowsHaveTheSameBitsWhereverTilesCut) {
  expect_same_bits(700, 5, false);  // rows longer than a block
}

/// Heat equation in three dimensions, with plain loops.
std::vector<double> heat_by_hand(int n, int steps) {
  const auto at = [n](int x, int y, int z) {
    return static_cast<std::size_t>(((z + n) % n * n + (y + n) % n) * n + (x + n) % n);
  };
  std::vector<double> now(static_cast<std::size_t>(n * n * n)), next(now.size());
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) now[at(x, y, z)] = x * y - z;
  for (int s = 0; s < steps; ++s, now.swap(next))
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
          next[at(x, y, z)] =
              now[at(x, y, z)] +
              0.1 * (now[at(x + 1, y, z)] + now[at(x - 1, y, z)] + now[at(x, y + 1, z)] +
                     now[at(x, y - 1, z)] + now[at(x, y, z + 1)] + now[at(x, y, z - 1)] -
                     6 * now[at(x, y, z)]);
  return now;
}

TEST(StencilRun, APeriodicCubeGivesWhatPlainLoopsGive) {
  constexpr int kSize = 13, kSteps = 7;
  const std::vector<double> expected = heat_by_hand(kSize, kSteps);
  for (const int threads : {1, 2, 5})
    for (const TileSize& tile : {TileSize{}, TileSize{{5, 3, 2}}, TileSize{{0, 4, 4}}}) {
      Program program(with(threads, Mode::tiled, tile));
      Mesh& mesh = program.mesh("cube", {kSize, kSize, kSize});
      Field<double> now = mesh.field<double>("now", {.halo = 1});
      Field<double> next = mesh.field<double>("next", {.halo = 1});
      mesh.loop(
          "start", mesh.interior(), [](auto f, Index i) { f() = i.x * i.y - i.z; }, write(now),
          index());
      for (int s = 0; s < kSteps; ++s, std::swap(now, next)) {
        for (int d = 0; d < 3; ++d) periodic(now, d, 1);
        mesh.loop(
            "step", mesh.interior(),
            [](auto f, auto g) {
              g() = f() +
                    0.1 * (f(1) + f(-1) + f(0, 1) + f(0, -1) + f(0, 0, 1) + f(0, 0, -1) - 6 * f());
            },
            read(now, star(1)), write(next));
      }
      EXPECT_EQ(program.waiting(), 1U + kSteps * 7);
      EXPECT_EQ(now.copy(), expected);
      EXPECT_EQ(program.counters().chains, 1U);
      EXPECT_EQ(program.waiting(), 0U);
    }
}

TEST(StencilRun, ConnectedMeshesAreOne) {
  // A row of 40 points as one mesh, and as two connected meshes of 25 and 15.
  const auto step = [](auto f, auto g) { g() = 0.5 * f() + 0.25 * (f(-1) + f(1)); };
  const auto first = [](auto f, Index i, int shift) { f() = (i.x + shift) * (i.x + shift) % 17; };
  Program one(with(1, Mode::untiled));
  Mesh& whole = one.mesh("whole", {40});
  Field<double> a = whole.field<double>("a", {.halo = 1}),
                b = whole.field<double>("b", {.halo = 1});
  whole.loop("first", whole.interior(), first, write(a), index(), value(0));
  Program two(with(3, Mode::tiled, {{4}}));
  Mesh &left = two.mesh("left", {25}), &right = two.mesh("right", {15});
  Field<double> al = left.field<double>("a", {.halo = 1}),
                bl = left.field<double>("b", {.halo = 1});
  Field<double> ar = right.field<double>("a", {.halo = 1}),
                br = right.field<double>("b", {.halo = 1});
  left.loop("first", left.interior(), first, write(al), index(), value(0));
  right.loop("first", right.interior(), first, write(ar), index(), value(25));
  const Connection seam{&left, &right, 0};
  for (int s = 0; s < 9; ++s) {
    mirror(a, {0, false}, 1), mirror(a, {0, true}, 1);
    whole.loop("step", whole.interior(), step, read(a, star(1)), write(b));
    mirror(al, {0, false}, 1), mirror(ar, {0, true}, 1);
    exchange(seam, al, ar, 1);
    left.loop("step", left.interior(), step, read(al, star(1)), write(bl));
    right.loop("step", right.interior(), step, read(ar, star(1)), write(br));
    std::swap(a, b), std::swap(al, bl), std::swap(ar, br);
  }
  std::vector<double> joined = al.copy();
  for (const double value : ar.copy()) joined.push_back(value);
  EXPECT_EQ(joined, a.copy());
  EXPECT_EQ(two.counters().chains, 1U);
}

}  // namespace
}  // namespace Atoll::stencil
