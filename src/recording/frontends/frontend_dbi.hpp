// The front end `dbi`: runs unmodified programs in an emulator with a plugin that records.
#pragma once

#include <string>
#include <vector>

#include "process/child.hpp"

namespace Atoll::recording {

/// Returns "" if this computer has an emulator for `program` (a path) that can load the plugin,
/// else the reason why it can't be watched, and a remedy.
[[nodiscard]] std::string obstacle_to_dbi(const std::string& program, const std::string& libraries);

/// Returns the command line that runs `command` (looked up in $PATH as execvp does) in the
/// emulator, with the plugin and the preloaded library of the folder `libraries`. The recording
/// goes to the region at `region_path`. Scripts are run by their interpreters. Throws Error (input)
/// if the program is missing, not executable, setuid, setgid, or of a format that can't be run.
/// Call obstacle_to_dbi() first.
[[nodiscard]] process::Launch prepare_dbi(const std::vector<std::string>& command,
                                          const std::string& libraries,
                                          const std::string& region_path,
                                          const std::vector<std::string>& beside);

}  // namespace Atoll::recording
