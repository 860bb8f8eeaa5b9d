// Runs a compiler that is killed when this process ends.
#pragma once

#include <string>
#include <vector>

namespace Atoll::greenmarl {

/// Runs the command with its output in the open file `log` and empty input. Returns its status as
/// waitpid() does. If this process ends first for any reason, kills the command's process group and
/// then removes the file `unfinished`. Throws Error if the command can't be started.
[[nodiscard]] int run_guarded(const std::vector<std::string>& command, int log,
                              const std::string& unfinished);

}  // namespace Atoll::greenmarl
