// A tiled heat equation, for tests that run it on a simulated machine. Prints the exact sum of the
// squares of all values: simulated_stencil WIDTH HEIGHT STEPS [MODE]
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "atoll/base/exit_code.hpp"
#include "atoll/stencil/stencil.hpp"

namespace {

using namespace Atoll::stencil;

void heat(int width, int height, int steps, const Options& options) {
  Program program(options);
  Mesh& mesh = program.mesh("plate", {width, height});
  auto from = mesh.field<double>("from", {.halo = 1}), to = mesh.field<double>("to", {.halo = 1});
  const auto squares = program.reduction<double>();
  mesh.loop(
      "start", mesh.interior(), [](auto f, Index at) { f() = at.x % 7 + 0.1 * (at.y % 5); },
      write(from), index());
  for (int step = 0; step < steps; ++step, std::swap(from, to)) {
    for (const int dimension : {0, 1})
      for (const bool high : {false, true}) mirror(from, {dimension, high}, 1);
    mesh.loop(
        "heat", mesh.interior(),
        [](auto f, auto g) { g() = f() + 0.2 * (f(1) + f(-1) + f(0, 1) + f(0, -1) - 4 * f()); },
        read(from, star(1)), write(to));
  }
  mesh.loop(
      "squares", mesh.interior(), [](auto f, auto r) { r(f() * f()); }, read(from),
      reduce_sum(squares));
  std::printf("%a %d threads\n", squares.value(), program.team().size());
}

}  // namespace

int main(int argc, char** argv) {
  return Atoll::exit_code_of([&] {
    const auto number = [&](int i) { return argc > i ? std::atoi(argv[i]) : 0; };
    Options options;
    if (argc > 4) options.mode = mode_from_text(argv[4], "mode");
    heat(number(1), number(2), number(3), options);
  });
}
