// Figures that an interval varies, and by how much, according to the machine file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "atoll/machine/machine.hpp"
#include "simulate/model.hpp"
#include "simulate/result_of.hpp"
#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns a machine with two nodes. `source` is the source of the links' figures, `hardware` has
/// further figures.
Machine machine_of(const std::string& source, const std::string& hardware) {
  std::string file = R"({
    "atoll_machine": 1, "name": "pair",
    "sources": {"s": {"origin": "user", "text": "s"}, "g": {"origin": "estimated", "text": "g"}},
    "places": "2 numa > core > pu",
    "memories": [{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [
      {"common": "numa", "distance": 10, "latency": ["100 ns", "$"], "read": ["20 GB/s", "$"],
       "write": ["10 GB/s", "$"]},
      {"common": "machine", "distance": 20, "latency": ["200 ns", "$"], "read": ["5 GB/s", "$"],
       "write": ["4 GB/s", "$"]}],
    "hardware": {)" + hardware +
                     "}}";
  for (std::size_t at = 0; (at = file.find('$')) != std::string::npos;) file.replace(at, 1, source);
  return Machine::from_json(file, "pair.json");
}

std::optional<VariableFigure> knob_of(const Machine& machine, std::string_view name) {
  const std::vector<VariableFigure> knobs = knobs_of(machine);
  const auto found = std::ranges::find(knobs, name, &VariableFigure::name);
  return found == knobs.end() ? std::nullopt : std::optional(*found);
}

TEST(SimulateInterval, LinksAreMovedAsFarAsTheFileSays) {
  for (const char* name :
       {"local_latency", "remote_latency", "memory_bandwidth", "wire_bandwidth"}) {
    const auto guessed = knob_of(machine_of("g", ""), name);
    ASSERT_TRUE(guessed) << name;
    EXPECT_EQ(guessed->low, 0.75);
    EXPECT_EQ(guessed->high, 1.25);
    EXPECT_FALSE(knob_of(machine_of("s", ""), name)) << name;
    for (const char* source : {"s", "g"}) {
      const auto told = knob_of(
          machine_of(source, "\"" + std::string(name) + R"(": ["1", "g", "0.9", "1.5"])"), name);
      ASSERT_TRUE(told) << name;
      EXPECT_EQ(told->low, 0.9);
      EXPECT_EQ(told->high, 1.5);
    }
  }
}

TEST(SimulateInterval, EachFigureOfLinksMovesWhatItSays) {
  const Machine machine = machine_of("g", "");
  const auto timing = [&](std::string_view name, bool up) {
    return timing_of(machine, knob_of(machine, name)->moved(figures_of(machine), up)).machine;
  };
  const MachineTiming nominal = timing_of(machine, figures_of(machine)).machine;
  EXPECT_EQ(timing("local_latency", true).latency,
            (std::vector<Ticks>{125'000, 200'000, 200'000, 125'000}));
  EXPECT_EQ(timing("remote_latency", false).latency,
            (std::vector<Ticks>{100'000, 150'000, 150'000, 100'000}));
  EXPECT_EQ(timing("memory_bandwidth", true).read_open[0], 2'560);  // 64 bytes at 25 GB/s
  EXPECT_EQ(timing("memory_bandwidth", true).wire, nominal.wire);
  EXPECT_EQ(timing("wire_bandwidth", true).wire[0], 10'240);  // 64 bytes at 6.25 GB/s
  EXPECT_EQ(timing("wire_bandwidth", true).read_open, nominal.read_open);
}

TEST(SimulateInterval, DivisionsAndChainsHaveARange) {
  const Machine machine = machine_of(
      "s", R"("clock": ["1 GHz", "s"], "width": ["4", "s"], "page_fault_1g": ["0 ns", "s"],
      "division": ["20 cycles", "g", "10 cycles", "30 cycles"],
      "chain_step": ["4 cycles", "g", "3 cycles", "5 cycles"])");
  const Model model = model_of(machine);
  const Timing timing = timing_of(machine, figures_of(machine));
  for (const bool divides : {true, false}) {
    // All accesses are to one line, so that only this figure takes time.
    StyledAccess like;
    (divides ? like.style.work.divisions : like.style.work.chain) = 1;
    SyntheticProgram program;
    program.threads = {accesses(
        20'000, [](std::uint64_t) { return 4096; }, like)};
    Pages pages(model.memory_of_node, model.shape.line_bits);
    Windows windows(1, 3);
    Engine::Options options;
    options.hw_threads = {model.hw_threads.begin()->second};
    options.threads = {{0, 0, true}};
    options.windows = &windows;
    Engine engine(model.shape, timing, pages, program, options);
    const EngineResult run = engine.run();
    const double cycles = divides ? 20 : 4;
    EXPECT_NEAR(static_cast<double>(run.elapsed), 20'000 * cycles * 1000, 20 * cycles * 1000);
    Result result;
    result.seconds = seconds_of(run.elapsed);
    add_interval_if_not_interrupted(result, machine, model.shape, pages, windows, engine,
                                    knobs_of(machine));
    const Sensitivity& first = result.sensitivities.front();
    EXPECT_EQ(first.figure, divides ? "division" : "chain_step");
    EXPECT_NEAR(first.low, divides ? 0.5 : 0.75, 0.02);
    EXPECT_NEAR(first.high, divides ? 1.5 : 1.25, 0.02);
    EXPECT_NEAR(result.interval->to / result.seconds, first.high, 0.02);
  }
}

TEST(SimulateInterval, ItsEndsAddTheDeviationsAsSquares) {
  // For each of these figures, the run is faster at one end of the range and slower at the other.
  const Machine machine = machine_of("s", R"("clock": ["1 GHz", "s", "0.7 GHz", "1.2 GHz"],
      "division": ["20 cycles", "g", "10 cycles", "30 cycles"],
      "chain_step": ["4 cycles", "g", "2 cycles", "9 cycles"])");
  const Model model = model_of(machine);
  const Timing timing = timing_of(machine, figures_of(machine));
  StyledAccess like;
  like.style.work.divisions = like.style.work.chain = 1;
  SyntheticProgram program;
  program.threads = {accesses(
      20'000, [](std::uint64_t) { return 4096; }, like)};
  Pages pages(model.memory_of_node, model.shape.line_bits);
  Windows windows(1, 3);
  Engine::Options options;
  options.hw_threads = {model.hw_threads.begin()->second};
  options.threads = {{0, 0, true}};
  options.windows = &windows;
  Engine engine(model.shape, timing, pages, program, options);
  Result result;
  result.seconds = seconds_of(engine.run().elapsed);
  add_interval_if_not_interrupted(result, machine, model.shape, pages, windows, engine,
                                  knobs_of(machine));
  double below = 0, above = 0;
  int matter = 0;
  for (const Sensitivity& one : result.sensitivities) {
    const double least = std::min({one.low, one.high, 1.0});
    const double most = std::max({one.low, one.high, 1.0});
    below += (1 - least) * (1 - least);
    above += (most - 1) * (most - 1);
    matter += most - least > 0.05;
  }
  EXPECT_EQ(matter, 3);
  EXPECT_GT(above, 1.2 * below);  // asymmetric, so that swapped ends are detected
  ASSERT_TRUE(result.interval);
  EXPECT_NEAR(result.interval->from / result.seconds, 1 - std::sqrt(below), 1e-9);
  EXPECT_NEAR(result.interval->to / result.seconds, 1 + std::sqrt(above), 1e-9);
}

}  // namespace
}  // namespace Atoll::simulate
