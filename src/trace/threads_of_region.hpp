// A region's processes and threads in the order of their creation, which is the order of their
// numbers everywhere: when a thread begins is chance.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/region_view.hpp"

namespace Atoll::trace {

/// When a process was forked, or executed its program; where that isn't known, when it began.
[[nodiscard]] std::uint64_t created_ns(const RegionView& region,
                                       const recorder::ProcessRecord& process);

/// The region's processes: their positions are Recording's process ids.
[[nodiscard]] std::vector<recorder::Offset> processes_of(const RegionView& region);

struct ThreadOfRegion {
  recorder::Offset offset = 0;                         ///< of the record; 0: it never began
  const recorder::ThreadRecord* record = nullptr;      ///< null: it never began
  const recorder::CreationRecord* creation = nullptr;  ///< null: not seen; of first threads, too
  recorder::Offset process = 0;                        ///< a ProcessRecord, perhaps
  std::uint64_t created_ns = 0;                        ///< CLOCK_MONOTONIC
};

/// The region's threads: their positions are Recording's thread ids.
[[nodiscard]] std::vector<ThreadOfRegion> threads_of(const RegionView& region);

/// The ids of threads in the order in which they began, as streams number them.
[[nodiscard]] std::vector<std::uint32_t> ids_by_beginning(const RegionView& region);

}  // namespace Atoll::trace
