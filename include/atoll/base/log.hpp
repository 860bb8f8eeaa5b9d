// Notes that a run prints beside its result: one line each on standard error, never silent, never
// mixed into the result.
#pragma once

#include <string_view>

namespace Atoll {

/// Prints "atoll: note: <line>" to standard error; a line already printed by this process is not
/// printed again. Control characters become blanks. Safe from any thread.
void note(std::string_view line);

/// From now on nothing is printed by this process: no note(), no progress.
void silence() noexcept;
[[nodiscard]] bool silent() noexcept;

/// Prints lines to standard error, with blanks for control characters. Lines that can't be printed
/// are dropped: the work is done all the same, and the exit code says so.
void tell(std::string_view lines);

}  // namespace Atoll
