// Lines for the process that started this one, which names a file in the environment.
#pragma once

#include <string_view>

namespace Atoll::detail {

/// Appends the text, in one write, to the file that the environment variable names and whose first
/// line is the variable's name. Does nothing if there is no such file, or if it can't be written.
void append_to_named(const char* variable, std::string_view text) noexcept;

}  // namespace Atoll::detail
