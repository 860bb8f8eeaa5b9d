// Objects and threads as a plan describes them, with what the rules decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Returns runs of pages of one object: each page on the node that uses it most, or on the one that
/// `nodes_of_rows` names. Neighbours are put together until there are no more than `most` runs;
/// pages without accesses go with those before. Runs end at multiples of `granule_pages` (a power
/// of two). `rows` are the object's rows of `pages`, ascending.
/// Returns nothing if no page of it is accessed.
[[nodiscard]] std::vector<PageRun> runs_by_node(
    const PagesByNode& pages, const std::vector<std::size_t>& rows, const trace::Object& object,
    const Places& places, std::size_t most,
    const std::vector<std::uint32_t>* nodes_of_rows = nullptr, std::uint64_t granule_pages = 1);
/// A plan with kFewRuns runs is easy to read; it takes up to kMaxRuns if they help.
inline constexpr std::size_t kFewRuns = 64, kMaxRuns = 1024;

/// Returns how a plan recognises the object, or nothing if a plan can't name it (threads' stacks,
/// unknown memory, programs' and libraries' files, allocations without a stack).
[[nodiscard]] std::optional<PlannedObject> recognised(const trace::Recording& run,
                                                      const trace::Object& object);
/// Returns why a plan can't name the object.
[[nodiscard]] std::string why_not_recognised(const trace::Object& object);
/// Returns all threads, each on its node in `places`; those that have units in `units` are bound to
/// these.
[[nodiscard]] std::vector<PlannedThread> planned_threads(
    const trace::Recording& run, const Places& places,
    const std::vector<std::vector<int>>& units = {});

/// Returns the number of the object's pages.
[[nodiscard]] std::uint64_t page_count(const trace::Object& object);

}  // namespace Atoll::profile
