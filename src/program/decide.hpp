// Decides a layout for each array from a procedure, a graph's size and a machine. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "atoll/graph/graph.hpp"
#include "atoll/pattern/procedure.hpp"
#include "atoll/program/options.hpp"

namespace Atoll::program {

/// An array of the program and its layout.
struct DecidedArray {
  const ArrayUse* use = nullptr;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 0;
  Choice choice;
};

/// Returns the widths of a run's ids: the maximum over its graphs.
[[nodiscard]] graph::IdWidths widths_of(const std::vector<graph::GraphSize>& sizes);

[[nodiscard]] std::uint32_t element_bytes(ValueType type, graph::IdWidths widths);

/// Returns the arrays in the procedure's order. `sizes` are the sizes of its graphs. The arrays of
/// a group get one common decision, from their merged pattern.
[[nodiscard]] std::vector<DecidedArray> decide(const Procedure& procedure,
                                               const std::vector<graph::GraphSize>& sizes,
                                               const Machine& machine, const ThreadPlaces& team,
                                               const RunOptions& options);

/// Returns true if any array is partitioned. Loops then assign fixed parts to threads.
[[nodiscard]] bool any_partitioned(const std::vector<DecidedArray>& arrays);

}  // namespace Atoll::program
