// Programs with more rights than their user.
#pragma once

#include <string>

namespace Atoll::process {

/// Returns true if a file gains rights when this process executes it: set-uid, set-gid or file
/// capabilities. The loader then ignores LD_PRELOAD, and Atoll's libraries ignore the environment.
[[nodiscard]] bool gains_privileges(const std::string& path);

}  // namespace Atoll::process
