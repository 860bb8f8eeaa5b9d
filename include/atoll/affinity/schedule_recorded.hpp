// From recorded tasks to the schedule that the next run follows [affinity §2].
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
  std::vector<ScheduleReport> reports;  ///< of each of its loops
};

/// Schedules each loop by what its tasks were seen to use; a task's work is how many words (lines,
/// pages) it used. Of `options`, the loop's own description and weights are taken from the
/// recording. A loop without tasks is left out. Each loop brings predictions along of what
/// following is worth (plan/predict_schedule.hpp). Throws as schedule_tasks() does.
[[nodiscard]] ScheduledProgram schedule_recorded(std::span<const RecordedLoop> loops,
                                                 const Machine& machine,
                                                 const ThreadPlaces& threads,
                                                 const ScheduleOptions& options = {});

/// What a recorded loop's tasks share: a vertex for each task, with its work. `share`'s weights are
/// taken from the recording. Throws as share_graph() does.
[[nodiscard]] AffinityGraph share_recorded(const RecordedLoop& loop, ShareOptions share = {});

}  // namespace Atoll::affinity
