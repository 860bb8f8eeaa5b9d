// The environment variables that make a program that this one executes watched, too.
#pragma once

#include <cstddef>

namespace Atoll::process::inside {

/// Keeps LD_PRELOAD and the ATOLL_… variables as the process got them.
void keep_environment();
/// At most this many are kept.
inline constexpr std::size_t kKept = 16;
/// Copies `from` (null: empty), with the kept variables that it lacks, to `room` of at least
/// entries_for(from) entries. LD_PRELOAD is replaced if the program removed Atoll's library from
/// it.
[[nodiscard]] std::size_t entries_for(char* const* from);
void with_kept(char* const* from, char** room);

}  // namespace Atoll::process::inside
