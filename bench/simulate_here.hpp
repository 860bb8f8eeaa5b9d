// Measures this machine, and runs programs in its simulation and natively, in alternation.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "atoll/base/units.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/measure/hardware.hpp"
#include "atoll/measure/measure.hpp"
#include "atoll/threads/team.hpp"
#include "bench.hpp"
#include "simulate/engine.hpp"
#include "simulate/invariants.hpp"
#include "simulate/model.hpp"
#include "simulate_programs.hpp"

namespace Atoll::bench {

/// A program of one or two threads, each with a loop over its own data.
struct HereProgram {
  std::string name;
  bool huge = false, in_caches = false;
  std::uint64_t units_a_trial = 0;  ///< per thread
  std::unique_ptr<PagedMemory> memory;
  std::vector<std::unique_ptr<Loop>> loops;
  std::uint64_t at = 0;
  double predicted = 0;        ///< nanoseconds per unit
  std::vector<double> trials;  ///< measured nanoseconds per unit

  /// Runs one trial on the team's threads: from the first begin to the last end.
  void try_natively(const Team& team) {
    using SteadyClock = std::chrono::steady_clock;
    std::atomic<int> ready{0};
    std::vector<SteadyClock::time_point> begins(loops.size()), ends(loops.size());
    if (at + units_a_trial > loops.front()->units) at = 0;
    const int threads = static_cast<int>(loops.size());
    team.run([&](int thread) {
      if (thread >= threads) return;
      const auto mine = static_cast<std::size_t>(thread);
      if (in_caches) loops[mine]->run(0, loops[mine]->units);  // reloads the caches
      ready.fetch_add(1);
      while (ready.load() < threads) {
      }
      begins[mine] = SteadyClock::now();
      loops[mine]->run(at, units_a_trial);
      ends[mine] = SteadyClock::now();
    });
    at += units_a_trial;
    const auto begin = *std::min_element(begins.begin(), begins.end());
    const auto end = *std::max_element(ends.begin(), ends.end());
    trials.push_back(std::chrono::duration<double, std::nano>(end - begin).count() /
                     static_cast<double>(units_a_trial));
  }
  [[nodiscard]] double shortest() const { return *std::min_element(trials.begin(), trials.end()); }
  [[nodiscard]] bool is_steady() const {
    std::vector<double> sorted = trials;
    std::sort(sorted.begin(), sorted.end());
    return sorted[1] <= 1.15 * sorted[0];
  }
};

/// Yields the accesses of some units of the loops to the engine.
class HereStreams : public simulate::SimulatedProgram {
 public:
  HereStreams(const HereProgram& program, std::uint64_t units)
      : program_(program), units_(units), at_(program.loops.size()) {}
  bool next(std::uint32_t thread, simulate::Batch& batch) override {
    std::uint64_t& at = at_[thread];
    if (at == units_) return false;
    if (at == 0) Styles::define(batch);
    Loop& loop = *program_.loops[thread];
    const std::uint64_t first = at % loop.units;
    const std::uint64_t count = std::min({std::uint64_t{256}, units_ - at, loop.units - first});
    loop.append_accesses(first, count, batch);
    at += count;
    return true;
  }
  simulate::Page touch(std::uint32_t, std::uint32_t node, std::uint64_t, simulate::Fault) override {
    return {program_.huge ? simulate::PageClass::huge : simulate::PageClass::small,
            static_cast<std::uint16_t>(node), false};
  }
  std::uint32_t object_of(std::uint32_t, std::uint64_t) override { return 0; }

 private:
  const HereProgram& program_;
  std::uint64_t units_;
  std::vector<std::uint64_t> at_;
};

class HerePrograms {
 public:
  explicit HerePrograms(const Machine& machine) : machine_(machine) {
    const std::size_t in = 192 * kKiB, beyond = 96 * kMiB;
    for (const int threads : {1, 2})
      for (const bool huge : {false, true})
        for (const bool in_caches : {true, false}) {
          const std::size_t bytes = in_caches ? in : beyond;
          const auto add = [&](const char* name, std::uint64_t units, const auto& make) {
            auto program = std::make_unique<HereProgram>();
            program->name = fmt::format("{}, {}, {} pages, {} thread{}", name, format_bytes(bytes),
                                        huge ? "2 MiB" : "4 KiB", threads, threads > 1 ? "s" : "");
            program->huge = huge;
            program->in_caches = in_caches;
            program->memory = std::make_unique<PagedMemory>(
                static_cast<std::size_t>(threads) * (bytes + 64 * kKiB), huge);
            for (int thread = 0; thread < threads; ++thread)
              program->loops.push_back(make(*program->memory, static_cast<unsigned>(thread)));
            program->units_a_trial = std::min(units, program->loops.front()->units) / 4 * 4;
            programs.push_back(std::move(program));
          };
          add("chase", 20'000, [&](PagedMemory& memory, unsigned) {
            return std::make_unique<ChaseLoop>(memory, bytes);
          });
          add("gather", 100'000, [&](PagedMemory& memory, unsigned thread) {
            return std::make_unique<GatherLoop>(memory, bytes, thread);
          });
          add("triad", 200'000, [&](PagedMemory& memory, unsigned) {
            return std::make_unique<TriadLoop>(memory, bytes);
          });
          add("SpMV", 20'000, [&](PagedMemory& memory, unsigned thread) {
            return std::make_unique<RowsLoop>(memory, bytes, true, thread);
          });
          add("PageRank", 20'000, [&](PagedMemory& memory, unsigned thread) {
            return std::make_unique<RowsLoop>(memory, bytes, false, thread);
          });
        }
    for (const int threads : {1, 2}) {
      auto program = std::make_unique<HereProgram>();
      program->name = fmt::format("false sharing, {} thread{}", threads, threads > 1 ? "s" : "");
      program->in_caches = true;
      program->memory = std::make_unique<PagedMemory>(4096, false);
      auto* const counters = program->memory->take<std::atomic<std::uint64_t>>(8);
      for (int thread = 0; thread < threads; ++thread)
        program->loops.push_back(std::make_unique<CounterLoop>(counters + thread));
      program->units_a_trial = 20'000;
      programs.push_back(std::move(program));
    }
  }

  struct Prediction {
    double ns = 0;              ///< nanoseconds per unit
    std::vector<double> parts;  ///< the same, split by what the first thread waits for
  };
  /// Predicts units after the first ones, which fill the caches.
  [[nodiscard]] Prediction predict(const HereProgram& program) const {
    const std::uint64_t warm = program.in_caches
                                   ? std::max(program.units_a_trial, program.loops.front()->units)
                                   : program.units_a_trial / 8;
    const Prediction all = time(program, warm + program.units_a_trial), first = time(program, warm);
    const auto units = static_cast<double>(program.units_a_trial);
    Prediction rest{(all.ns - first.ns) / units, {}};
    for (std::size_t part = 0; part < all.parts.size(); ++part)
      rest.parts.push_back((all.parts[part] - first.parts[part]) / units);
    return rest;
  }

  std::vector<std::unique_ptr<HereProgram>> programs;

 private:
  [[nodiscard]] Prediction time(const HereProgram& program, std::uint64_t units) const {
    const simulate::Model model = simulate::model_of(machine_);
    simulate::Timing timing = simulate::timing_of(machine_, simulate::figures_of(machine_));
    timing.machine.page_fault = {};  // pages are already mapped
    simulate::Pages pages(model.memory_of_node, model.shape.line_bits);
    HereStreams streams(program, units);
    simulate::Engine::Options options;
    const int threads = static_cast<int>(program.loops.size());
    for (const ThreadPlace& place : compact_places(machine_, threads)) {
      options.threads.push_back({0, static_cast<std::uint32_t>(options.hw_threads.size()), true});
      options.hw_threads.push_back(model.hw_threads.at(place.pu));
    }
    simulate::Engine engine(model.shape, timing, pages, streams, options);
    const simulate::EngineResult result = engine.run();
    for (const std::string& law : simulate::violated_invariants(engine, timing, result))
      require(false, program.name + ": " + law);
    Prediction taken{static_cast<double>(result.elapsed) / simulate::kTicksOfNanosecond, {}};
    for (std::size_t part = 0; part < result.stack.parts(); ++part)
      taken.parts.push_back(static_cast<double>(result.stack[part]) / simulate::kTicksOfNanosecond /
                            threads);
    return taken;
  }

  const Machine& machine_;
};

inline void here_rows(Suite& suite) {
  const Machine linked = measure::measure_links(Machine::this_computer(), {}).machine;
  const Machine machine = measure::measure_hardware(linked).machine;
  HerePrograms all(machine);
  const Team team(compact_places(machine, 2), Team::Runtime::std_threads);
  const auto round = [&](const auto& wants) {
    for (const auto& program : all.programs)
      if (wants(*program)) program->try_natively(team);
  };
  // A shared machine may be slower for seconds or minutes. So trials are spread: one round of all
  // programs after each prediction, and more rounds with pauses.
  const auto everyone = [](const HereProgram&) { return true; };
  for (const auto& program : all.programs) {
    program->predicted = all.predict(*program).ns;
    round(everyone);
  }
  for (int i = 0; i < 24; ++i) {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    round(everyone);
  }
  for (int i = 0; i < 40; ++i) round([](const HereProgram& one) { return !one.is_steady(); });
  std::vector<double> errors;
  std::size_t unsteady = 0;
  for (const auto& program : all.programs) {
    const double predicted = program->predicted, native = program->shortest();
    const bool steady = program->is_steady();
    suite.row((steady ? "here " : "unsteady ") + program->name, "ns", predicted, "native", native);
    if (steady)
      errors.push_back(std::abs(predicted / native - 1));
    else
      ++unsteady;
  }
  std::sort(errors.begin(), errors.end());
  if (errors.empty()) return;
  suite.row("here, median error", "%", 100 * errors[errors.size() / 2], "accepted", 15);
  suite.row("here, worst error", "%", 100 * errors.back(), "accepted", 40);
  suite.row("unsteady rows", "%",
            100.0 * static_cast<double>(unsteady) / static_cast<double>(all.programs.size()),
            "accepted", 25);
}

}  // namespace Atoll::bench
