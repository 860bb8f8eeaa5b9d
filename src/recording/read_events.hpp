// Reads from a region all but the counts: processes, threads, sites and objects, and the object of
// each address.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "process/symbols.hpp"
#include "recording/objects/object_index.hpp"
#include "recording/pages/physical_pages.hpp"
#include "recording/region_view.hpp"

namespace Atoll::recording {

/// Pages that a stream accessed, by the offset of the process's ProcessRecord.
using StreamedPages = std::map<record::Offset, std::vector<std::uint64_t>>;

/// Reads processes, threads, sites, objects, losses and epochs. Fills in `index` with the objects
/// of every page, and `pages` with the pages that share memory; both must be empty before. `ended`
/// has statuses of processes, as from waitpid(); other processes have the exit code that they
/// passed to exit. Processes and threads are in the order of processes_of() and threads_of().
///
/// Accesses of a forked child to inherited memory belong to its parent's objects. Variables and
/// modules without accesses do not become objects. The region may end at any byte: incomplete or
/// invalid records are skipped.
[[nodiscard]] Recording read_events(const RegionView& region, std::uint64_t epoch_ns,
                                    const std::map<pid_t, int>& ended, process::Symbols& symbols,
                                    ObjectIndex& index, PhysicalPages& pages,
                                    const StreamedPages& streamed = {});

}  // namespace Atoll::recording
