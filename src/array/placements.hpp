// Turns a layout into placements of `memory`. Arrays and the memory of containers share this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/memory/block.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll {

struct Slice {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Returns part `part` of `parts` equal ones of [0, size).
[[nodiscard]] Slice slice_of(std::size_t size, int part, int parts);

/// Throws Error (input) if a layout has no nodes, the machine lacks a node, or bounds of parts
/// don't cover `size` elements.
void check_layout(const Layout& layout, const Machine& machine, std::size_t size);
/// The placement of each copy, by a checked layout.
[[nodiscard]] std::vector<memory::Placement> placements(const Layout& layout, std::size_t size,
                                                        std::size_t element_bytes);
/// For each initiator's number, the position in `nodes` of the node nearest to it.
[[nodiscard]] std::vector<std::uint32_t> nearest_by_initiator(const Machine& machine,
                                                              const std::vector<NodeId>& nodes);

}  // namespace Atoll
