#include "profile/notes_on_recording.hpp"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "profile/memory_local_share.hpp"

namespace Atoll::profile {
namespace {

/// Set-up dominates if phases with a single active thread have at least this share of the predicted
/// time, and other phases have the rest.
constexpr double kDominates = 0.5;

}  // namespace

std::vector<std::string> notes_on_recording(const recording::Recording& run, const Machine& machine,
                                            const Summary& summary, const PredictedTime& time,
                                            const PhasedTraffic& as_is) {
  std::set<int> cores;
  for (const Processor& processor : machine.processors()) cores.insert(processor.core);
  std::vector<std::string> notes{
      fmt::format("recorded with {} thread{}; {} has {} cores, {} processing units",
                  run.threads.size(), run.threads.size() == 1 ? "" : "s", machine.name(),
                  cores.size(), machine.processors().size())};
  notes.push_back(fmt::format("{:.0f} % of what passes the last-level caches is local",
                              100 * memory_local_share(summary)));
  const std::vector<double> seconds = time.by_phase(as_is, summary.memory);
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  double alone = 0;
  for (std::size_t phase = 0; phase < seconds.size(); ++phase)
    if (summary.memory.is_alone[phase]) alone += seconds[phase];
  if (alone >= kDominates * all && alone < all)
    notes.push_back(fmt::format(
        "one thread works alone in {:.0f} % of the predicted time. If that is set-up, mark what "
        "matters (atoll_mark_begin, atoll_mark_end) and record with --between-marks",
        100 * alone / all));
  return notes;
}

}  // namespace Atoll::profile
