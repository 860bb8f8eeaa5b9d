// Environment variables that Atoll's libraries need in the programs that this one executes.
#pragma once

#include <cstddef>

namespace Atoll::process::inside {

/// Saves the initial values of LD_PRELOAD and of the ATOLL_… variables.
void save_environment();
/// Maximum number of saved variables.
inline constexpr std::size_t kMaxSaved = 16;
/// Copies `from` (null means empty) and those saved variables that it lacks to `room`, which must
/// have entries_for(from) entries. If the program removed Atoll's library from LD_PRELOAD, the
/// saved value replaces it.
[[nodiscard]] std::size_t entries_for(char* const* from);
void copy_with_saved(char* const* from, char** room);

}  // namespace Atoll::process::inside
