// Reads the records of timed streams: waits, and calls that place memory and threads.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/trace/stream.hpp"

namespace Atoll::trace {

/// Returns false if the words aren't such a record, or too few.
[[nodiscard]] bool wait_of(std::span<const std::uint64_t> record, StreamWait& wait);
[[nodiscard]] bool placement_of(std::span<const std::uint64_t> record, StreamPlacement& call);

}  // namespace Atoll::trace
