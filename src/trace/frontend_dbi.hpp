// The front end `dbi` runs any program as it is, in an emulator with a plugin that records.
#pragma once

#include <string>
#include <vector>

#include "process/child.hpp"

namespace Atoll::trace {

/// Returns why the front end can't watch `program` (a path) on this computer and what would help,
/// or "" if it can: there is an emulator, and it takes the plugin.
[[nodiscard]] std::string obstacle_to_dbi(const std::string& program, const std::string& libraries);

/// Returns how to run `command` (looked up in $PATH as execvp does) in the emulator, with the
/// plugin and the preloaded library of the folder `libraries`, recording into the region at
/// `region_path`. A script is run through its interpreter. Throws Error (input) if the program is
/// missing, not executable, setuid, setgid, or of a format that can't be run. Call
/// obstacle_to_dbi() first.
[[nodiscard]] process::Launch prepare_dbi(const std::vector<std::string>& command,
                                          const std::string& libraries,
                                          const std::string& region_path,
                                          const std::vector<std::string>& beside);

}  // namespace Atoll::trace
