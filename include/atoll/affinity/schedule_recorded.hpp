// Makes a schedule for the next run from recorded tasks [affinity §2].
#pragma once

#include <span>
#include <vector>

#include "atoll/affinity/recorded_tasks.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/plan/schedule_tasks.hpp"

namespace Atoll::affinity {

/// The schedules of a program's loops.
struct ScheduledProgram {
  Schedule schedule;                    ///< for threads at the given places
  std::vector<ScheduleReport> reports;  ///< one for each of its loops
};

/// Schedules each loop by the recorded locations of its tasks. A task's work is the number of words
/// (lines, pages) that it used. Description and weights of a loop are taken from the recording
/// instead of `options`. A loop without tasks is omitted. Each scheduled loop contains predictions
/// of the gain (plan/predict_schedule.hpp). Throws as schedule_tasks() does.
[[nodiscard]] ScheduledProgram schedule_recorded(std::span<const RecordedLoop> loops,
                                                 const Machine& machine,
                                                 const ThreadPlaces& threads,
                                                 const ScheduleOptions& options = {});

/// Returns the graph of shared locations between a recorded loop's tasks: a vertex for each task,
/// with its work. The weights of `share` are taken from the recording. Throws as share_graph()
/// does.
[[nodiscard]] AffinityGraph share_recorded(const RecordedLoop& loop, ShareOptions share = {});

}  // namespace Atoll::affinity
