// Runs a compiler that ends with this process.
#pragma once

#include <string>
#include <vector>

namespace Atoll::greenmarl {

/// Runs the command, its output in the open file `log` and its input empty. Returns its status as
/// waitpid does. If this process ends first, in any way, the command and all processes that it
/// started in its process group are ended, and then the file `unfinished` is removed. Throws Error
/// if the command can't be started.
[[nodiscard]] int run_guarded(const std::vector<std::string>& command, int log,
                              const std::string& unfinished);

}  // namespace Atoll::greenmarl
