// A region's counts, page by page, to consumers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/region_view.hpp"
#include "trace/threads_of_region.hpp"

namespace Atoll::trace {

/// The lines of a page by object; what ObjectIndex answers.
using LinesOfPage =
    std::function<std::span<const ObjectLines>(std::uint32_t process, std::uint64_t page)>;
/// (process, page) -> the thread that first touched it, where page faults told.
using FirstTouches = std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t>;

/// What was lost or coarsened while recording.
[[nodiscard]] std::vector<Loss> losses_of(const RegionView& region);
[[nodiscard]] std::uint64_t split_accesses_of(const RegionView& region);

/// Calls consumer.page for each page that was accessed, ascending by process and page. Time and
/// memory: 24 bytes for each (page, thread) pair, sorted.
void read_counts(const RegionView& region, const LinesOfPage& lines_of, const FirstTouches& touches,
                 Consumer& consumer);

}  // namespace Atoll::trace
