// Invalidations of a page's lines in a thread's cache by other threads' writes, for pages where the
// recorder counted them (recorder/sharers.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "atoll/recording/recording.hpp"
#include "record/sharers.hpp"

namespace Atoll::recording {

/// By line; nothing: not counted.
using CountedInvalidations = std::optional<std::array<std::uint64_t, kLinesOfPage>>;

/// Returns the invalidations counted for threads[which] up to its last look at the page, plus an
/// estimate for the time since, until `end_ns` (CLOCK_MONOTONIC). `epoch_ns` is the length of an
/// epoch.
[[nodiscard]] CountedInvalidations invalidations_until_end(const record::Invalidations& known,
                                                           std::span<const ThreadOnPage> threads,
                                                           std::size_t which, std::uint64_t end_ns,
                                                           std::uint64_t epoch_ns);

}  // namespace Atoll::recording
