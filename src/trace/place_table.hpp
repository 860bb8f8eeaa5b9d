// A plan as the table that placed programs read: what their threads and objects are recognised by
// stays with `atoll`, what is done to them is in the table.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/program_plan.hpp"
#include "trace/place/table.hpp"
#include "trace/place_match.hpp"

namespace Atoll::trace {

struct PlaceTable {
  std::vector<std::byte> bytes;  ///< begins with a Header; target i is of plan.objects[i]
  struct Places {
    StackMatcher stacks;
    std::map<StackNumber, std::uint32_t> groups;  ///< of a place's large objects
    std::map<StackNumber, std::uint32_t> pools;   ///< the target of a place's small ones
  };
  Places heap, mappings;
};

/// Nodes and processing units that `machine` lacks are left out: what was planned for them is left
/// to the system. Throws Error (input) for more threads or objects than a table holds.
[[nodiscard]] PlaceTable table_of_plan(const ProgramPlan& plan, const Machine& machine);
/// Each new thread on the next of these units.
[[nodiscard]] PlaceTable table_of_units(const std::vector<int>& units, const Machine& machine);

/// The nodes that a layout names, as it does.
[[nodiscard]] std::vector<NodeId> named_nodes(const Layout& layout);
/// The nodes that `plan` names and `machine` lacks, ascending.
[[nodiscard]] std::vector<NodeId> missing_nodes(const ProgramPlan& plan, const Machine& machine);

}  // namespace Atoll::trace
