// Decides a layout for each array from a program's description, a graph's size and a machine. Pure.
#pragma once

#include <string>
#include <vector>

#include "atoll/program/options.hpp"
#include "atoll/program/program.hpp"

namespace Atoll::program {

struct GraphSize {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint32_t node_bytes = 4;  ///< bytes of an id
  std::uint32_t edge_bytes = 4;
};

/// One array of the program and its layout.
struct DecidedArray {
  const ArraySpec* spec = nullptr;
  std::uint64_t elements = 0;
  std::uint32_t element_bytes = 0;
  Choice choice;
};

[[nodiscard]] std::uint32_t element_bytes(Type type, const GraphSize& size);

/// Returns the arrays in the description's order. The arrays of a group are decided as one, with
/// their merged pattern.
[[nodiscard]] std::vector<DecidedArray> decide(const Description& description,
                                               const GraphSize& size, const Machine& machine,
                                               const ThreadPlaces& team, const RunOptions& options);

/// True if threads have parts of an array near to them. Loops are then given out in fixed parts.
[[nodiscard]] bool any_partitioned(const std::vector<DecidedArray>& arrays);

}  // namespace Atoll::program
