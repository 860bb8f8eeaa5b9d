// Runs trials and computes figures from them.
#include "measure/pair.hpp"

#include <algorithm>
#include <limits>

namespace Atoll::measure {
namespace {

constexpr int kLeastTrials = 3;

/// Returns the shortest trial.
template <class Try>
Trial best_of(double seconds, const Try& once) {
  Trial best{.seconds = std::numeric_limits<double>::infinity()};
  double all = 0;
  for (int trials = 0; trials < kLeastTrials || all < seconds; ++trials) {
    const Trial one = once();
    if (one.seconds < best.seconds) best = one;
    all += one.seconds;
  }
  return best;
}

}  // namespace

PairFigures measure_pair(Probe& probe, const PairPlan& plan,
                         const std::function<void()>& figure_done) {
  PairFigures figures;
  const auto seconds_of_best = [&](const auto& once) {
    const Trial best = best_of(plan.seconds_a_figure, once);
    figures.taken_by_others = std::max(figures.taken_by_others, best.taken_by_others);
    figure_done();
    return best.seconds;
  };
  static_cast<void>(probe.chase(plan.warm_up_loads));
  figures.latency_ns = seconds_of_best([&] { return probe.chase(plan.trial_loads); }) * 1e9 /
                       static_cast<double>(plan.trial_loads);
  for (const int threads : plan.thread_counts) {
    PairFigures::Row& row = figures.rows.emplace_back(PairFigures::Row{.threads = threads});
    for (const Kernel kernel : kKernels)
      row.bytes_per_second[static_cast<int>(kernel)] =
          static_cast<double>(plan.bytes) /
          seconds_of_best([&] { return probe.pass(kernel, threads); });
  }
  return figures;
}

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

}  // namespace Atoll::measure
