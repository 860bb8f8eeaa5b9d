// Number of times that other threads' writes took a page's lines from a thread's cache, where the
// recorder counted it (recorder/sharers.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "atoll/trace/recording.hpp"
#include "trace/recorder/sharers.hpp"

namespace Atoll::trace {

/// By line; nothing: it wasn't counted.
using TakenAway = std::optional<std::array<std::uint64_t, kLinesOfPage>>;

/// Returns what was counted for threads[which] up to its last look at the page, with what may have
/// happened since, until `end_ns` (CLOCK_MONOTONIC); an epoch has `epoch_ns`.
[[nodiscard]] TakenAway taken_away(const recorder::Invalidations& known,
                                   std::span<const ThreadOnPage> threads, std::size_t which,
                                   std::uint64_t end_ns, std::uint64_t epoch_ns);

}  // namespace Atoll::trace
