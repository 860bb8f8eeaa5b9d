// Finds the executable file of a command, or the reason why the command can't be watched.
#pragma once

#include <memory>
#include <string>

#include "record/emulator/program_file.hpp"

namespace Atoll::recording {

/// Looks the command up in $PATH as execvp does. Throws Error (input) with a one-line message if it
/// is missing, not executable, setuid or setgid, or of a format that can't be run.
[[nodiscard]] std::unique_ptr<record::dbi::ProgramFile> find_command(const std::string& name);

}  // namespace Atoll::recording
