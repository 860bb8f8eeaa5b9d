// Detects programs that run with more rights than their user has.
#pragma once

#include <string>

namespace Atoll::process {

/// Returns true if this process gains rights by executing a file: set-uid, set-gid or file
/// capabilities. In such a program the loader ignores LD_PRELOAD, and Atoll's libraries ignore the
/// environment.
[[nodiscard]] bool gains_privileges(const std::string& path);

}  // namespace Atoll::process
