#include "profile/run_phases.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace Atoll::profile {
namespace {

constexpr std::size_t kMaxPhases = 8;
/// Minimum share of an epoch's traffic for its main object, which distinguishes phases.
constexpr double kMainObject = 0.7;
/// Threads with less than this fraction of the busiest thread's traffic aren't active in an epoch.
constexpr double kActive = 0.05;
constexpr std::size_t kMaxWindow = 16;  ///< epochs

}  // namespace

RunPhases run_phases(const Profile& profile, const PagesByNode& pages, const PageUses& uses,
                     std::size_t epochs) {
  const recording::Recording& run = profile.recording;
  const bool is_sampled = run.is_sampled();
  RunPhases result;
  std::vector<std::vector<double>> of_threads(epochs, std::vector<double>(run.threads.size()));
  std::vector<std::unordered_map<std::uint32_t, double>> of_objects(epochs);
  uses.for_each_page([&](std::size_t row, std::span<const PageUse> of_page) {
    for (const PageUse& use : of_page)
      for_each_epoch(use.epochs, [&](std::size_t epoch) {
        of_threads[epoch][use.thread] += use.traffic_in(epoch);
        of_objects[epoch][pages.rows[row].object] += use.traffic_in(epoch);
      });
  });
  using Signature = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Signature> signatures;
  std::map<Signature, double> traffic;
  std::vector<double> all(epochs);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const auto& threads = of_threads[epoch];
    all[epoch] = std::accumulate(threads.begin(), threads.end(), 0.0);
    Signature signature{recording::kNone, recording::kNone};
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread)
      if (threads[thread] > 0 && threads[thread] >= kAlone * all[epoch]) signature.first = thread;
    for (const auto& [object, its] : of_objects[epoch])
      if (its > 0 && its >= kMainObject * all[epoch]) signature.second = object;
    if (is_sampled) signature = {};
    signatures.push_back(signature);
    traffic[signature] += all[epoch];
  }
  std::vector<std::pair<double, Signature>> by_traffic;
  for (const auto& [signature, its] : traffic) by_traffic.emplace_back(-its, signature);
  std::ranges::sort(by_traffic);
  std::map<Signature, std::uint16_t> phases;
  for (const auto& [its, signature] : by_traffic)
    phases[signature] = static_cast<std::uint16_t>(std::min(phases.size(), kMaxPhases - 1));
  for (std::size_t epoch = 0; epoch < epochs; ++epoch)
    result.of_epoch.push_back(phases.at(signatures[epoch]));
  result.count = std::ranges::max(result.of_epoch) + std::size_t{1};
  result.is_alone.assign(result.count, run.threads.size() > 1 && !is_sampled);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch)
    if (signatures[epoch].first == recording::kNone)
      result.is_alone[result.of_epoch[epoch]] = false;
  // A computer with few cores runs, in successive epochs that are alike, the threads that would
  // otherwise run at once.
  std::vector<std::vector<double>> of_phase(result.count, std::vector<double>(run.threads.size()));
  for (std::size_t epoch = 0; epoch < epochs; ++epoch)
    for (std::size_t thread = 0; thread < run.threads.size(); ++thread)
      of_phase[result.of_epoch[epoch]][thread] += of_threads[epoch][thread];
  const auto active = [](const std::vector<double>& threads) {
    const double most = threads.empty() ? 0 : std::ranges::max(threads);
    return std::ranges::count_if(threads,
                                 [&](double its) { return its > 0 && its >= kActive * most; });
  };
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const auto now = std::max<std::ptrdiff_t>(1, active(of_threads[epoch]));
    const auto then = std::max<std::ptrdiff_t>(1, active(of_phase[result.of_epoch[epoch]]));
    result.window.push_back(std::min(kMaxWindow, static_cast<std::size_t>((then + now - 1) / now)));
  }
  return result;
}

}  // namespace Atoll::profile
