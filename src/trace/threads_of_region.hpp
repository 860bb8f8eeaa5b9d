// A region's processes and threads in the order of their creation, which is the order of their
// numbers everywhere: when a thread begins depends on chance.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/region_view.hpp"

namespace Atoll::trace {

/// Returns when a process was forked, or executed its program; if that isn't known, when it began.
[[nodiscard]] std::uint64_t created_ns(const RegionView& region,
                                       const recorder::ProcessRecord& process);

/// Returns the region's processes. Their positions are Recording's process ids.
[[nodiscard]] std::vector<recorder::Offset> processes_of(const RegionView& region);

struct ThreadOfRegion {
  recorder::Offset offset = 0;                         ///< of the record; 0: it never began
  const recorder::ThreadRecord* record = nullptr;      ///< null: it never began
  const recorder::CreationRecord* creation = nullptr;  ///< null: not seen, or a first thread
  recorder::Offset process = 0;                        ///< a ProcessRecord, perhaps
  std::uint64_t created_ns = 0;                        ///< CLOCK_MONOTONIC
};

/// Returns the region's threads. Their positions are Recording's thread ids.
[[nodiscard]] std::vector<ThreadOfRegion> threads_of(const RegionView& region);

/// Returns the ids of threads in the order in which they began, as streams number them.
[[nodiscard]] std::vector<std::uint32_t> ids_by_beginning(const RegionView& region);

}  // namespace Atoll::trace
