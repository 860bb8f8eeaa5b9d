// Available memory, so that a graph that is too large is refused before it is built.
#pragma once

#include <cstdint>

namespace Atoll::graph {

/// Bytes that can be allocated now before the system starts to kill processes.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace Atoll::graph
