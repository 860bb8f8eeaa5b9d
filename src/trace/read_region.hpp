// Hands a region's counts to consumers, page by page.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/page_homes.hpp"
#include "trace/physical_pages.hpp"
#include "trace/region_view.hpp"
#include "trace/threads_of_region.hpp"

namespace Atoll::trace {

/// The lines of a page by object, as ObjectIndex returns them.
using LinesOfPage =
    std::function<std::span<const ObjectLines>(std::uint32_t process, std::uint64_t page)>;
/// The thread that made the system give a process a page, as page faults told.
struct SeenTouch {
  std::uint32_t thread = kNone;
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  std::uint64_t page = 0;     ///< the page of the fault: this one or one near it
  bool copies = false;        ///< the fault copied the page if the process had inherited it
};
/// The function returns nothing if no fault was seen there. It is empty if none was seen anywhere.
using FirstTouches =
    std::function<std::optional<SeenTouch>(std::uint32_t process, std::uint64_t page)>;

/// Returns what was lost or coarsened while recording.
[[nodiscard]] std::vector<Loss> losses_of(const RegionView& region);
[[nodiscard]] std::uint64_t split_accesses_of(const RegionView& region);

/// Calls consumer.page for each page that was accessed, ascending by process and page. A page of
/// memory that several processes have comes once, at its home. It takes time and memory: 24 bytes
/// for each (page, thread) pair, which are sorted, and 60 for each page that several may have.
/// Returns the homes that first touches refer to.
PageHomes read_counts(const RegionView& region, const PhysicalPages& pages,
                      const LinesOfPage& lines_of, const FirstTouches& touches, Consumer& consumer);

}  // namespace Atoll::trace
