// Sends lines to the parent process, through a file that the parent names in the environment.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::detail {

/// Returns the first line of a file that was created for the variable.
inline std::string first_line(std::string_view variable) {
  return std::string(variable) + "\n";
}

/// Appends the text, in one write, to the file that the environment variable names. The file must
/// begin with first_line(). Does nothing if there is no such file or the write fails.
void append_to_named(const char* variable, std::string_view text) noexcept;

}  // namespace Atoll::detail
