// Converts errors to exit codes, for `atoll` and the programs that it compiles: 0 means success, 1
// that the work failed, 2 that the call or an input is invalid.
#pragma once

#include <functional>

namespace Atoll {

/// Runs `work` and returns 0. If it throws, prints one line to standard error and returns 1 or 2.
[[nodiscard]] int exit_code_of(const std::function<void()>& work);

}  // namespace Atoll
