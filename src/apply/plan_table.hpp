// Converts a plan to the table that programs read. The table describes what is done to threads and
// objects; the data for matching them stays in `atoll`.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "apply/inside/table.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"
#include "process/stack_matcher.hpp"

namespace Atoll::apply {

struct PlanTable {
  std::vector<std::byte> bytes;  ///< begins with a Header; target i belongs to plan.objects[i]
  struct Places {
    process::StackMatcher stacks;
    std::map<process::StackNumber, std::uint32_t> groups;  ///< for large objects
    std::map<process::StackNumber, std::uint32_t> pools;   ///< targets of small objects
  };
  Places heap, mappings;
};

/// Returns the table of a plan. Nodes and processing units that `machine` lacks are ignored; the
/// system then decides. Throws Error (input) if the plan has more threads or objects than a table
/// can hold.
[[nodiscard]] PlanTable table_of_plan(const ProgramPlan& plan, const Machine& machine);
/// Returns a table that binds new threads to these units, round-robin.
[[nodiscard]] PlanTable table_of_units(const std::vector<int>& units, const Machine& machine);

/// Returns the nodes in a layout, in its order.
[[nodiscard]] std::vector<NodeId> named_nodes(const Layout& layout);
/// Returns the nodes that occur in `plan` but not in `machine`, ascending.
[[nodiscard]] std::vector<NodeId> missing_nodes(const ProgramPlan& plan, const Machine& machine);

}  // namespace Atoll::apply
