// Converts objects and threads of a recording to those of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Returns runs of pages of one object. Each page is on the node that uses it most, or on its node
/// in `nodes_of_rows`. Neighbouring runs are merged until there are at most `most` runs; pages
/// without accesses join the run before them. Runs end at multiples of `granule_pages` (a power of
/// two). `rows` are the object's rows of `pages`, ascending. Returns an empty list if no page of
/// the object is accessed.
[[nodiscard]] std::vector<PageRun> runs_by_node(
    const PagesByNode& pages, const std::vector<std::size_t>& rows, const recording::Object& object,
    const Places& places, std::size_t most,
    const std::vector<std::uint32_t>* nodes_of_rows = nullptr, std::uint64_t granule_pages = 1);
/// A plan with kFewRuns runs is easy to read; kMaxRuns is the limit if more runs save time.
inline constexpr std::size_t kFewRuns = 64, kMaxRuns = 1024;

/// Returns the description by which a plan recognises the object. Returns std::nullopt if a plan
/// can't name it (threads' stacks, unknown memory, programs' and libraries' files, allocations
/// without a stack).
[[nodiscard]] std::optional<PlannedObject> recognised(const recording::Recording& run,
                                                      const recording::Object& object);
/// Returns the reason why a plan can't name the object.
[[nodiscard]] std::string why_not_recognised(const recording::Object& object);
/// Returns all threads, each on its node in `places`. Threads with an entry in `units` are bound to
/// these processing units.
[[nodiscard]] std::vector<PlannedThread> planned_threads(
    const recording::Recording& run, const Places& places,
    const std::vector<std::vector<int>>& units = {});

/// Returns the number of the object's pages.
[[nodiscard]] std::uint64_t page_count(const recording::Object& object);

}  // namespace Atoll::profile
