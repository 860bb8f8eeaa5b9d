// Finds the file that a command's first word stands for, or why it can't be watched.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trace/emulator/program_file.hpp"

namespace Atoll::trace {

/// Looks the command up in $PATH as execvp does. Throws Error (input), one line, if it is missing,
/// not executable, setuid or setgid, or of a format that can't be run.
[[nodiscard]] std::unique_ptr<dbi::ProgramFile> find_command(const std::string& name);

/// Calls `found` with each place in $PATH where `name` may be, until it returns true.
void for_each_in_path(const std::string& name,
                      const std::function<bool(const std::string&)>& found);

}  // namespace Atoll::trace
