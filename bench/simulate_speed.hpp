// Speed of the simulator: accesses per second on one host core, for programs in memory.
#pragma once

#include <time.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "simulate/engine.hpp"
#include "simulate/model.hpp"
#include "simulate/result_of.hpp"
#include "simulate_records.hpp"

namespace Atoll::bench {

inline double host_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A random graph with `degree` edges per vertex, with both arrays of a CSR.
struct RandomGraph {
  RandomGraph(std::uint32_t vertices, std::uint32_t degree)
      : targets(std::size_t{vertices} * degree) {
    std::mt19937_64 random(1);
    for (std::uint32_t& target : targets) target = static_cast<std::uint32_t>(random() % vertices);
    for (std::uint32_t v = 0; v <= vertices; ++v) begin.push_back(v * degree);
  }
  std::vector<std::uint32_t> begin, targets;
};

/// Programs for measurements of speed: each thread has a list of accesses, or generates those of
/// its vertices.
class SpeedProgram : public simulate::SimulatedProgram {
 public:
  enum class Kind { hits, short_loop, loop, pagerank };
  SpeedProgram(Kind kind, std::uint32_t threads, std::uint64_t rounds, const RandomGraph* graph)
      : kind_(kind), rounds_(rounds), graph_(graph), state_(threads) {
    if (graph == nullptr) return;
    const std::uint64_t vertices = graph->begin.size() - 1;
    for (std::uint32_t i = 0; i < threads; ++i) state_[i].at = vertices * i / threads;
  }
  bool next(std::uint32_t thread, simulate::Batch& batch) override {
    State& state = state_[thread];
    if (!std::exchange(state.has_styles, true)) Styles::define(batch);
    switch (kind_) {
      case Kind::hits:
        return hits(state, thread, batch);
      case Kind::short_loop:  // stays in level 1
        return loop(state, thread, batch, 1 << 9);
      case Kind::loop:
        return loop(state, thread, batch, 1 << 20);
      case Kind::pagerank:
        return pagerank(state, thread, batch);
    }
    return false;
  }
  simulate::Page touch(std::uint32_t, std::uint32_t node, std::uint64_t, simulate::Fault) override {
    return {simulate::PageClass::huge, static_cast<std::uint16_t>(node), false};
  }
  std::uint32_t object_of(std::uint32_t, std::uint64_t) override { return 0; }
  Span span_of_object(std::uint32_t, std::uint64_t) override { return {0, ~std::uint64_t{0}}; }

 private:
  struct State {
    std::uint64_t round = 0, at = 0;
    bool has_styles = false;
  };
  static void load(simulate::Batch& batch, std::uint64_t address, std::uint32_t depends_on = 0,
                   bool write = false) {
    batch.add(recording::Access{.address = address,
                                .bytes = 8,
                                .write = write,
                                .style = Styles::number(2, depends_on, false)});
  }
  bool hits(State& state, std::uint32_t thread, simulate::Batch& batch) const {
    if (state.round++ == rounds_) return false;
    // Lines of 16 KiB in a scrambled order.
    for (std::uint64_t i = 0; i < 4096; ++i)
      load(batch, (std::uint64_t{thread} << 32) + (i * 2654435761U % 2048) * 8);
    return true;
  }
  bool loop(State& state, std::uint32_t thread, simulate::Batch& batch,
            std::uint64_t elements) const {
    if (state.round++ == rounds_) return false;
    const std::uint64_t base = std::uint64_t{thread} << 32;
    std::array<recording::AccessRange, 3> ranges;
    for (std::uint64_t array = 0; array < ranges.size(); ++array)
      ranges[array] = {.address = base + array * elements * 16,
                       .step = 8,
                       .n = elements,
                       .bytes = 8,
                       .write = array == 2,
                       .style = Styles::number(2, 0, false)};
    batch.add_loop(ranges);
    return true;
  }
  bool pagerank(State& state, std::uint32_t thread, simulate::Batch& batch) const {
    constexpr std::uint64_t kBegins = 1ULL << 36, kTargets = 2ULL << 36, kRanks = 3ULL << 36,
                            kNew = 4ULL << 36;
    const std::uint64_t vertices = graph_->begin.size() - 1;
    const std::uint64_t first = vertices * thread / state_.size();
    const std::uint64_t last = vertices * (thread + 1) / state_.size();
    if (state.at == last) {
      if (++state.round == rounds_) return false;
      state.at = first;
    }
    for (int i = 0; i < 64 && state.at < last; ++i, ++state.at) {
      load(batch, kBegins + state.at * 4);
      for (std::uint64_t e = graph_->begin[state.at]; e < graph_->begin[state.at + 1]; ++e) {
        load(batch, kTargets + e * 4);
        load(batch, kRanks + std::uint64_t{graph_->targets[e]} * 8, 1);
      }
      load(batch, kNew + state.at * 8, 0, true);
    }
    return true;
  }

  Kind kind_;
  std::uint64_t rounds_;
  const RandomGraph* graph_;
  std::vector<State> state_;
};

struct Speed {
  double accesses_a_second = 0;
  simulate::EngineResult result;
};

/// Runs the program on the first `threads` places of the machine. If `interval`, also computes the
/// interval of the result, whose cost is included in the time.
inline Speed speed_of(SpeedProgram& program, const Machine& machine, std::uint32_t threads,
                      bool interval = false) {
  const simulate::Model model = simulate::model_of(machine);
  const simulate::Timing timing = simulate::timing_of(machine, simulate::figures_of(machine));
  const std::vector<simulate::VariableFigure> knobs = simulate::knobs_of(machine);
  simulate::Pages pages(model.memory_of_node, model.shape.line_bits);
  simulate::Windows windows(threads, simulate::replays_of(knobs));
  simulate::Engine::Options options;
  if (interval) options.windows = &windows;
  for (const ThreadPlace& place : spread_places(machine, static_cast<int>(threads))) {
    options.threads.push_back({0, static_cast<std::uint32_t>(options.hw_threads.size()), true});
    options.hw_threads.push_back(model.hw_threads.at(place.pu));
  }
  simulate::Engine engine(model.shape, timing, pages, program, options);
  const double start = host_seconds();
  Speed speed{0, engine.run()};
  if (interval) {
    simulate::Result result;
    result.seconds = simulate::seconds_of(speed.result.elapsed);
    simulate::add_interval_if_not_interrupted(result, machine, model.shape, pages, windows, engine,
                                              knobs);
  }
  speed.accesses_a_second = static_cast<double>(speed.result.accesses) / (host_seconds() - start);
  return speed;
}

}  // namespace Atoll::bench
