// Turns a plan into the table that programs read to which it is applied. `atoll` keeps what their
// threads and objects are recognised by; the table has what is done to them.
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
  std::vector<std::byte> bytes;  ///< begins with a Header; target i is of plan.objects[i]
  struct Places {
    process::StackMatcher stacks;
    std::map<process::StackNumber, std::uint32_t> groups;  ///< of a place's large objects
    std::map<process::StackNumber, std::uint32_t> pools;   ///< the target of a place's small ones
  };
  Places heap, mappings;
};

/// Returns the table of a plan. What was planned for nodes and processing units that `machine`
/// lacks is left to the system. Throws Error (input) for more threads or objects than a table
/// holds.
[[nodiscard]] PlanTable table_of_plan(const ProgramPlan& plan, const Machine& machine);
/// Returns a table that puts each new thread on the next of these units.
[[nodiscard]] PlanTable table_of_units(const std::vector<int>& units, const Machine& machine);

/// Returns the nodes that a layout names, in its order.
[[nodiscard]] std::vector<NodeId> named_nodes(const Layout& layout);
/// Returns the nodes that `plan` names and `machine` lacks, ascending.
[[nodiscard]] std::vector<NodeId> missing_nodes(const ProgramPlan& plan, const Machine& machine);

}  // namespace Atoll::apply
