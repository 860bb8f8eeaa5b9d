// Decides a layout for each array from a procedure, a graph's size and a machine. Pure.
#pragma once

#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "atoll/pattern/procedure.hpp"
#include "atoll/program/options.hpp"

namespace Atoll::program {

/// One array of the program and its layout.
struct DecidedArray {
  const ArrayUse* use = nullptr;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 0;
  Choice choice;
};

/// The widths of a run's ids: of those of its graphs the widest.
[[nodiscard]] graph::IdWidths widths_of(const std::vector<graph::GraphSize>& sizes);

[[nodiscard]] std::uint32_t element_bytes(ValueType type, graph::IdWidths widths);

/// Returns the arrays in the procedure's order; `sizes` are of its graphs. The arrays of a group
/// are decided as one, with their merged pattern.
[[nodiscard]] std::vector<DecidedArray> decide(const Procedure& procedure,
                                               const std::vector<graph::GraphSize>& sizes,
                                               const Machine& machine, const ThreadPlaces& team,
                                               const RunOptions& options);

/// True if threads have parts of an array near to them. Loops are then given out in fixed parts.
[[nodiscard]] bool any_partitioned(const std::vector<DecidedArray>& arrays);

}  // namespace Atoll::program
