// Parser of timed streams' records: waits, and calls that place memory and threads.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/recording/stream.hpp"

namespace Atoll::recording {

/// Return false if the words are no such record, or too few.
[[nodiscard]] bool wait_of(std::span<const std::uint64_t> record, StreamWait& wait);
[[nodiscard]] bool placement_of(std::span<const std::uint64_t> record, StreamPlacement& call);

}  // namespace Atoll::recording
