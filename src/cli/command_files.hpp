// Files named in a command line.
#pragma once

#include <string>
#include <vector>

namespace Atoll::cli {

/// Returns the paths that the command may execute or read: its executable, looked up in $PATH as by
/// execvp, and all of its arguments.
[[nodiscard]] std::vector<std::string> command_files(const std::vector<std::string>& command);

}  // namespace Atoll::cli
