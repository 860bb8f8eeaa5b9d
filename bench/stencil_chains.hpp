// Rows of the suite `chains`.
#pragma once

#include <map>

#include "chain_flows.hpp"

namespace Atoll::bench {

/// A program whose chains have several lengths.
struct ChainCase {
  std::string name;
  std::unique_ptr<SteppedFlow> (*make)(const st::Options&, int n) = nullptr;
  int n = 0, dimensions = 2;
  std::vector<int> loops;  ///< lengths of chains, rounded up to whole steps
  [[nodiscard]] double points() const { return std::pow(n, dimensions); }
};

/// A flow whose chains have `chain` steps.
class Chained {
 public:
  Chained(const ChainCase& what, const st::Options& options, int chain)
      : flow_(what.make(options, what.n)), chain_(chain) {}
  void steps(int count) {
    for (int i = 1; i <= count; ++i) {
      flow_->step();
      if (i % chain_ == 0 || i == count) flow_->program().run();
    }
  }
  [[nodiscard]] SteppedFlow& flow() { return *flow_; }

 private:
  std::unique_ptr<SteppedFlow> flow_;
  int chain_;
};

/// Returns the loops that a step queues.
inline int loops_of_step(const ChainCase& what) {
  const auto flow = what.make({.threads = 1}, 16);
  flow->program().run();
  flow->step();
  return static_cast<int>(flow->program().waiting());
}

/// Finds the number of steps between two calls of run() that gives the shortest time, and adds a
/// row for each length of chains. Two steps of each are compared with the untiled program.
inline void chain_rows(Suite& suite, const ChainCase& what, int threads, const std::string& words) {
  const auto title = [&](int loops) {
    return fmt::format("{}, {} loop{}, {} thread{}", what.name, loops, loops == 1 ? "" : "s",
                       threads, threads == 1 ? "" : "s");
  };
  std::vector<int> chosen;
  for (const int loops : what.loops)
    if (title(loops).find(words) != std::string::npos) chosen.push_back(loops);
  if (chosen.empty()) return;
  // The processor time of one thread is independent of other programs.
  const Clock clock = threads == 1 ? Clock::cpu : Clock::wall;
  const int of_step = loops_of_step(what);
  const auto seconds = [&](Chained& program, int steps) {
    const double start = seconds_now(clock);
    program.steps(steps);
    return seconds_now(clock) - start;
  };
  std::map<int, std::unique_ptr<Chained>> manual;  // by steps in a chain
  const int most = std::max(1, 64 / of_step);
  for (int steps = 1; steps <= most; steps *= 4) {
    auto& program = manual[steps] =
        std::make_unique<Chained>(what, st::Options{.threads = threads}, steps);
    program->steps(kSettled * steps);
  }
  std::map<int, double> times;
  for (auto& [length, program] : manual) times[length] = seconds(*program, 2 * most);
  // A value that the program asks for ends a chain, so manual chains aren't longer than the row's.
  const auto best_up_to = [&](int steps) {
    int best = 1;
    for (const auto& [length, time] : times)
      if (length <= steps && time < times[best]) best = length;
    return best;
  };
  Chained untiled(what, {.threads = threads, .mode = st::Mode::untiled}, 1);
  for (const int loops : chosen) {
    const int steps = (loops + of_step - 1) / of_step, best = best_up_to(steps);
    Chained tiled(what, {.threads = threads}, steps);
    // Long chains try tile sizes by themselves.
    if (loops <= 1000) tiled.steps(kSettled * std::min(steps, 2 * most));
    const int measured = std::max(steps, 2 * most / steps * steps);
    const int rounds = loops >= 10000 ? 1 : 3;
    std::vector<double> ours, theirs;
    const st::Counters before = tiled.flow().program().counters();
    for (int round = 0; round < rounds; ++round) {
      ours.push_back(seconds(tiled, measured) / measured);
      theirs.push_back(seconds(*manual.at(best), measured) / measured);
    }
    const st::Counters after = tiled.flow().program().counters();
    const double scale = 1e9 / what.points();
    const double untiled_seconds = seconds(untiled, std::max(1, most / 4)) / std::max(1, most / 4);
    suite.row(title(loops), "ns", summarise(ours).median * scale,
              fmt::format("best manual, {} loops", best * of_step),
              summarise(theirs).median * scale, summarise(ours).spread,
              {{"threads", threads},
               {"tile", tiled.flow().tile()},
               {"untiled", untiled_seconds * scale},
               {"planning", (after.plan_seconds - before.plan_seconds) /
                                (after.run_seconds - before.run_seconds)},
               {"plan_bytes", after.plan_bytes}});
  }
  // The same bits, whatever the length.
  Chained one(what, {.threads = threads, .mode = st::Mode::untiled}, 1),
      other(what, {.threads = threads}, most);
  one.steps(2 * most), other.steps(2 * most);
  require(same_bits(one.flow(), other.flow()), title(most) + ": tiled and untiled differ");
}

}  // namespace Atoll::bench
