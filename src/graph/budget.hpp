// How much memory a graph may take, so that one that is too large is refused before it is built.
#pragma once

#include <cstdint>

namespace Atoll::graph {

/// The memory that can be taken now without the system killing any process for it.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace Atoll::graph
