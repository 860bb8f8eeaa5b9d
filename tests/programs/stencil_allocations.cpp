// Prints the number of allocations of four CloverLeaf steps after equal steps: tiled with THREADS
// threads, and untiled.
#include <atoll/stencil/stencil.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "../../apps/cloverleaf/hydro.hpp"
#include "../../apps/cloverleaf/start.hpp"

namespace st = Atoll::stencil;

namespace {

std::atomic<long> taken{0};

void* take(std::size_t bytes, std::size_t alignment) {
  ++taken;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  if (void* const block = std::aligned_alloc(alignment, whole)) return block;
  throw std::bad_alloc();
}

clover::Deck small_deck() {
  clover::Deck deck;
  deck.cells = {40, 40, 1};
  deck.high = {10, 10, 10};
  deck.initial_timestep = deck.max_timestep = 0.04;
  clover::State everywhere, box;
  everywhere.density = 0.2, everywhere.energy = 1;
  box.density = 1, box.energy = 2.5, box.geometry = clover::Geometry::box, box.high = {5, 2, 4};
  deck.states = {everywhere, box};
  return deck;
}

long taken_by_steps(const st::Options& options) {
  const clover::Deck deck = small_deck();
  st::Program program(options);
  clover::Fields<2> fields(program, deck);
  clover::Hydro<2> hydro(program, fields, deck);
  clover::start(fields, deck);
  double time_step = deck.initial_timestep;
  long before = 0;
  for (int step = 0; step < 12; ++step) {
    if (step == 8) before = taken;
    time_step = hydro.time_step(time_step);
    hydro.advance(time_step, step % 2 == 0);
  }
  return taken - before;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return take(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  std::printf("tiled %ld\n", taken_by_steps({.threads = threads, .tile = {{20, 8, 0}}}));
  std::printf("untiled %ld\n", taken_by_steps({.threads = threads, .mode = st::Mode::untiled}));
  return 0;
}
