// Lines for the process that started this one, which names a file in the environment.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::detail {

/// Returns the first line of a file that is made for the variable.
inline std::string first_line(std::string_view variable) {
  return std::string(variable) + "\n";
}

/// Appends the text, in one write, to the file that the environment variable names and that
/// begins with first_line(). Does nothing if there is no such file, or if it can't be written.
void append_to_named(const char* variable, std::string_view text) noexcept;

}  // namespace Atoll::detail
