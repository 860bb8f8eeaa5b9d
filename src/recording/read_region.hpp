// Passes a region's counts to consumers, page by page.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "recording/pages/page_homes.hpp"
#include "recording/pages/physical_pages.hpp"
#include "recording/region_view.hpp"
#include "recording/threads_of_region.hpp"

namespace Atoll::recording {

/// Function that returns the objects of a page's lines, as ObjectIndex does.
using LinesOfPage =
    std::function<std::span<const ObjectLines>(std::uint32_t process, std::uint64_t page)>;
/// First touch of a process's page, as observed by a page-fault sample.
struct SeenTouch {
  std::uint32_t thread = kNone;
  std::uint64_t time_ns = 0;  ///< CLOCK_MONOTONIC
  std::uint64_t page = 0;     ///< page of the fault: the same page or one near it
  bool copies = false;        ///< if the process had inherited the page, the fault copied it
};
/// Function that returns the first touch of a page, or nothing if no fault was observed there. It
/// is empty if no faults were observed at all.
using FirstTouches =
    std::function<std::optional<SeenTouch>(std::uint32_t process, std::uint64_t page)>;

/// Returns the losses of a recording.
[[nodiscard]] std::vector<Loss> losses_of(const RegionView& region);
[[nodiscard]] std::uint64_t split_accesses_of(const RegionView& region);

/// Calls consumer.page for each accessed page, ascending by process and page. A page that several
/// processes share is passed once, at its home. Sorts all (page, thread) pairs, which takes 24
/// bytes for each pair, and 60 bytes for each page that may be shared. Returns the homes that
/// first_touch values refer to.
PageHomes read_counts(const RegionView& region, const PhysicalPages& pages,
                      const LinesOfPage& lines_of, const FirstTouches& touches, Consumer& consumer);

}  // namespace Atoll::recording
