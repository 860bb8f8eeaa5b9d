// What a region tells besides counts: processes, threads, sites and objects, and which object lies
// where.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "process/symbols.hpp"
#include "trace/object_index.hpp"
#include "trace/physical_pages.hpp"
#include "trace/region_view.hpp"

namespace Atoll::trace {

/// Pages that a stream accessed, by the process's ProcessRecord.
using StreamedPages = std::map<recorder::Offset, std::vector<std::uint64_t>>;

/// Processes, threads, sites, objects, losses and epochs; `index` and
/// `pages` (empty before) then know the objects of every page, and which pages are one. `ended`:
/// statuses of processes, as from waitpid; others have the exit code that they gave to exit.
/// Positions of processes and threads are those of processes_of and threads_of.
///
/// A forked child's accesses to memory that it inherited count for its parent's objects. Variables
/// and modules that nothing accessed are no objects. The region may end anywhere: what isn't
/// complete or can't be is passed over.
[[nodiscard]] Recording read_events(const RegionView& region, std::uint64_t epoch_ns,
                                    const std::map<pid_t, int>& ended, process::Symbols& symbols,
                                    ObjectIndex& index, PhysicalPages& pages,
                                    const StreamedPages& streamed = {});

}  // namespace Atoll::trace
