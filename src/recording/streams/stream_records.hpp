// Parser of streams' records: events, waits, and calls that place memory and threads.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/recording/stream.hpp"

namespace Atoll::recording {

/// Returns the row of a record's kind; null if the kind is unknown, or the record has fewer words
/// than its fields.
[[nodiscard]] const record::RecordRow* row_of(std::span<const std::uint64_t> record);

/// Parses a record of group event or task.
[[nodiscard]] StreamEvent event_of(std::span<const std::uint64_t> record,
                                   const record::RecordRow& row);
/// Return false if the words are no such record, or invalid. `mask` refers to the words.
[[nodiscard]] bool wait_of(std::span<const std::uint64_t> record, StreamWait& wait);
[[nodiscard]] bool placement_of(std::span<const std::uint64_t> record, StreamPlacement& call);

}  // namespace Atoll::recording
