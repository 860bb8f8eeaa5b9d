// Objects and threads as a plan says them, with what the rules decided; and where a plan puts
// pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/plan/program_plan.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Runs of pages of one object: each page on the node that uses it most, or on the one that
/// `nodes_of_rows` names. Neighbours are put together until there are no more than `most`; pages
/// without accesses go with those before. `rows` are the object's, of `pages`, ascending. Empty: no
/// page of it is accessed.
[[nodiscard]] std::vector<PageRun> runs_by_node(
    const PagesByNode& pages, const std::vector<std::size_t>& rows, const trace::Object& object,
    const Places& places, std::size_t most,
    const std::vector<std::uint32_t>* nodes_of_rows = nullptr);
/// Runs that a plan is still easy to read with, and those that it takes if they help.
inline constexpr std::size_t kFewRuns = 64, kMaxRuns = 1024;

/// How a plan recognises the object; nothing for what a plan can't name (threads' stacks, unknown
/// memory, programs' and libraries' files, allocations without a stack).
[[nodiscard]] std::optional<PlannedObject> recognised(const trace::Recording& run,
                                                      const trace::Object& object);
/// Why it doesn't.
[[nodiscard]] std::string why_not_recognised(const trace::Object& object);
/// All threads, each on the node that `places` says, and those that `units` has on these units of
/// it.
[[nodiscard]] std::vector<PlannedThread> planned_threads(
    const trace::Recording& run, const Places& places,
    const std::vector<std::vector<int>>& units = {});

/// The node on which a plan puts an object's page.
[[nodiscard]] NodeId planned_node(const PlannedObject& object, std::uint64_t page_of_object);

/// The object's pages, from the first to the one behind the last.
[[nodiscard]] std::uint64_t page_count(const trace::Object& object);

}  // namespace Atoll::profile
