// A region's counts, page by page, to consumers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/physical_pages.hpp"
#include "trace/region_view.hpp"
#include "trace/threads_of_region.hpp"

namespace Atoll::trace {

/// The lines of a page by object; what ObjectIndex answers.
using LinesOfPage =
    std::function<std::span<const ObjectLines>(std::uint32_t process, std::uint64_t page)>;
/// Who made the system give a process a page, as page faults told.
struct SeenTouch {
  std::uint32_t thread = kNone;
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  std::uint64_t page = 0;     ///< that the fault was of: this one or one near it
  bool copies = false;        ///< had the process inherited the page, this copied it
};
/// Nothing: no fault was seen there. Empty: none was anywhere.
using FirstTouches =
    std::function<std::optional<SeenTouch>(std::uint32_t process, std::uint64_t page)>;

/// What was lost or coarsened while recording.
[[nodiscard]] std::vector<Loss> losses_of(const RegionView& region);
[[nodiscard]] std::uint64_t split_accesses_of(const RegionView& region);

/// Calls consumer.page for each page that was accessed, ascending by process and page: a page of
/// memory that several processes have is one, where its home is. Time and memory: 24 bytes for each
/// (page, thread) pair, sorted, and 60 for each page that several may have.
void read_counts(const RegionView& region, const PhysicalPages& pages, const LinesOfPage& lines_of,
                 const FirstTouches& touches, Consumer& consumer);

}  // namespace Atoll::trace
