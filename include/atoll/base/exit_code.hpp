// Where errors become exit codes, for `atoll` and for the programs that it compiles: 0 done, 1 the
// work failed, 2 the call or an input is wrong.
#pragma once

#include <functional>

namespace Atoll {

/// Runs `work` and returns 0; an exception becomes one line on standard error and a 1 or a 2.
[[nodiscard]] int exit_code_of(const std::function<void()>& work);

}  // namespace Atoll
