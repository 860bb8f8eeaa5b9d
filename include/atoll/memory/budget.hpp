// Bound of the memory that a program takes, for programs that keep the rest of their data in a file
// or in other memories [out-of-core-stencils §4].
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "atoll/machine/machine.hpp"
#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

/// Returns the number of bytes that a program may take of these memories together; all memories of
/// the machine if `nodes` is empty. This is `asked`, if it is set. Else it is the available memory
/// without the room for page tables, i.e. the largest size that a Block on these nodes accepts, in
/// whole pages. Reads the available memory at each call, and reserves nothing.
/// Throws Error (input) if the machine lacks a node, or if `asked` is 0 or more than the capacity
/// of the memories. Throws Error (memory) if `asked` isn't set and no page is available.
[[nodiscard]] std::uint64_t budget_bytes(const Machine& machine, const Backend& backend,
                                         std::span<const NodeId> nodes,
                                         std::optional<std::uint64_t> asked = {},
                                         PageSize pages = PageSize::small);

}  // namespace Atoll::memory
