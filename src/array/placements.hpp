// What a layout asks of `memory`: shared by arrays and by the memory of containers.
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

/// Part `part` of `parts` equal ones of [0, size).
[[nodiscard]] Slice slice_of(std::size_t size, int part, int parts);

/// Throws Error (input) for a layout without nodes, a node that the machine lacks, or bounds of
/// parts that don't cover `size` elements.
void check_layout(const Layout& layout, const Machine& machine, std::size_t size);
/// Of each copy, by a checked layout.
[[nodiscard]] std::vector<memory::Placement> placements(const Layout& layout, std::size_t size,
                                                        std::size_t element_bytes);
/// By an initiator's number: the position in `nodes` of the one that is nearest to it.
[[nodiscard]] std::vector<std::uint32_t> nearest_by_initiator(const Machine& machine,
                                                              const std::vector<NodeId>& nodes);

}  // namespace Atoll
