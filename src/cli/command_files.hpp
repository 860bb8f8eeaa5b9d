// Files that a command names.
#pragma once

#include <string>
#include <vector>

namespace Atoll::cli {

/// Returns the paths of the files that the command may run or read: its executable, looked up in
/// $PATH as execvp does, and all of its arguments.
[[nodiscard]] std::vector<std::string> command_files(const std::vector<std::string>& command);

}  // namespace Atoll::cli
