// The variables by which a program that this one executes is watched too.
#pragma once

#include <cstddef>

namespace Atoll::trace::inside {

/// Keeps LD_PRELOAD and the ATOLL_… variables as the process got them.
void keep_environment();
/// How many there are at most.
inline constexpr std::size_t kKept = 16;
/// `from` (null: empty) and what it lacks of the kept, in `room` of at least entries_for(from)
/// entries; LD_PRELOAD is replaced where the program took us out of it.
[[nodiscard]] std::size_t entries_for(char* const* from);
void with_kept(char* const* from, char** room);

}  // namespace Atoll::trace::inside
