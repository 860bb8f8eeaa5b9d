// Converts errors to exit codes, for `atoll` and the programs that it compiles: 0 means success, 1
// that the work failed, 2 that the call or an input is invalid.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace Atoll {

/// Form in which an error is reported.
enum class ErrorForm {
  line,  ///< one line on standard error
  json,  ///< the line, and error_json() on standard output: for calls with --json
};

/// Runs `work` and returns 0. If it throws, reports the error and returns 1 or 2.
[[nodiscard]] int exit_code_of(const std::function<void()>& work, ErrorForm form = ErrorForm::line);

/// Returns an error as JSON: {"error": {"what", "place", "way_out"}, "exit_code"}, with the parts
/// of Error as strings.
[[nodiscard]] std::string error_json(std::string_view place, std::string_view what,
                                     std::string_view way_out, int exit_code);

}  // namespace Atoll
