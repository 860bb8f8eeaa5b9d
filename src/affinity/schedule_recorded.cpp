// Schedules each recorded loop.
#include "atoll/affinity/schedule_recorded.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "atoll/plan/predict_schedule.hpp"

namespace Atoll::affinity {
namespace {

/// Returns each task's work, which is at least 1.
std::vector<std::uint32_t> work_of(const RecordedLoop& loop) {
  std::vector<std::uint32_t> work(loop.uses.tasks());
  for (std::size_t task = 0; task < work.size(); ++task) {
    std::uint64_t units = 0;
    for (std::uint64_t at = loop.uses.begin[task]; at < loop.uses.begin[task + 1]; ++at)
      units += loop.sizes[loop.uses.locations[at]];
    work[task] = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(units, 1, std::numeric_limits<std::uint32_t>::max()));
  }
  return work;
}

void predict(const RecordedLoop& recorded, std::span<const ThreadPlace> places,
             const Machine& machine, ScheduledLoop& loop) {
  PredictOptions options{.location_bytes = recorded.location_bytes,
                         .location_sizes = recorded.sizes,
                         .streamed_bytes = 0};
  loop.predicted = predict_schedule(recorded.uses, loop, places, machine, options);
  options.packs = true;
  loop.predicted_packed = predict_schedule(recorded.uses, loop, places, machine, options);
}

}  // namespace

ScheduledProgram schedule_recorded(std::span<const RecordedLoop> loops, const Machine& machine,
                                   const ThreadPlaces& threads, const ScheduleOptions& options) {
  ScheduledProgram program;
  program.schedule.places.assign(threads.begin(), threads.end());
  for (const RecordedLoop& loop : loops) {
    if (loop.uses.tasks() == 0) continue;
    ScheduleOptions of_loop = options;
    of_loop.loop = loop.name;
    of_loop.iterations = loop.iterations;
    of_loop.chunk = loop.chunk;
    of_loop.fingerprint = loop.fingerprint;
    of_loop.work = work_of(loop);
    of_loop.share.location_weights = loop.weights;
    ScheduleReport report;
    Schedule schedule = schedule_tasks(loop.uses, machine, threads, of_loop, &report);
    program.schedule.loops.push_back(std::move(schedule.loops.front()));
    predict(loop, schedule.places, machine, program.schedule.loops.back());
    program.reports.push_back(std::move(report));
  }
  return program;
}

AffinityGraph share_recorded(const RecordedLoop& loop, ShareOptions share) {
  share.location_weights = loop.weights;
  AffinityGraph graph = share_graph(loop.uses, share);
  graph.vertex_weights = work_of(loop);
  return graph;
}

}  // namespace Atoll::affinity
