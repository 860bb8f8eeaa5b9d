// Translation of layouts into placements of `memory`, for arrays and containers.
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

/// Returns part `part` of [0, size) divided into `parts` equal parts.
[[nodiscard]] Slice slice_of(std::size_t size, int part, int parts);

/// Throws Error (input) if a layout has no nodes, if the machine lacks one of them, or if the
/// bounds of the parts don't cover `size` elements.
void check_layout(const Layout& layout, const Machine& machine, std::size_t size);
/// Returns the placement of each copy of a checked layout.
[[nodiscard]] std::vector<memory::Placement> placements(const Layout& layout, std::size_t size,
                                                        std::size_t element_bytes);
/// Returns, by initiator's number, the index in `nodes` of the node nearest to it.
[[nodiscard]] std::vector<std::uint32_t> nearest_by_initiator(const Machine& machine,
                                                              const std::vector<NodeId>& nodes);

}  // namespace Atoll
