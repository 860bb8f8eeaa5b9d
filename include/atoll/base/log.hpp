// Notes about a run, in addition to its result: one line each on standard error.
#pragma once

#include <string_view>

namespace Atoll {

/// Prints "atoll: note: <line>" to standard error, once per process for each distinct line. Control
/// characters become blanks. Thread-safe.
void note(std::string_view line);

/// Turns off all later output of this process by note() and Progress.
void silence() noexcept;
[[nodiscard]] bool silent() noexcept;

/// Prints lines to standard error, with blanks for control characters. Ignores failures to print.
void print_to_stderr(std::string_view lines);

}  // namespace Atoll
