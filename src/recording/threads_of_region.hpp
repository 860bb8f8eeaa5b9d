// Processes and threads of a region in the order of their creation, which determines their numbers
// everywhere. The order in which threads begin varies between runs.
#pragma once

#include <cstdint>
#include <vector>

#include "recording/region_view.hpp"

namespace Atoll::recording {

/// Returns the time when a process was forked or called exec(); if unknown, when it began.
[[nodiscard]] std::uint64_t created_ns(const RegionView& region,
                                       const record::ProcessRecord& process);

/// Returns the region's processes. Their indices are the Recording's process ids.
[[nodiscard]] std::vector<record::Offset> processes_of(const RegionView& region);

struct ThreadOfRegion {
  record::Offset offset = 0;                         ///< offset of the record; 0: it never began
  const record::ThreadRecord* record = nullptr;      ///< null: it never began
  const record::CreationRecord* creation = nullptr;  ///< null: not recorded, or a first thread
  record::Offset process = 0;                        ///< a ProcessRecord, if the region is intact
  std::uint64_t created_ns = 0;                      ///< CLOCK_MONOTONIC
};

/// Returns the region's threads. Their indices are the Recording's thread ids.
[[nodiscard]] std::vector<ThreadOfRegion> threads_of(const RegionView& region);

/// Returns thread ids in the order in which the threads began, which is the order of streams.
[[nodiscard]] std::vector<std::uint32_t> ids_by_beginning(const RegionView& region);

}  // namespace Atoll::recording
