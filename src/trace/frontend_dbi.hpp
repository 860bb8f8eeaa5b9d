// The front end `dbi`: any program as it is, in an emulator with a plugin that records.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace Atoll::trace {

struct FrontendLaunch {
  std::vector<std::string> command;  ///< what to execute; its first word is a path
  /// What to set in its environment.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// How to run `command` (looked up in $PATH as execvp does) in the emulator, with the plugin and
/// the preloaded library of `libraries_folder`, recording into the region at `region_path`. A
/// script is run through its interpreter. Throws Error (input): the program is missing, not
/// executable, setuid, setgid, of a format that can't be run; the emulator isn't installed.
[[nodiscard]] FrontendLaunch prepare_dbi(const std::vector<std::string>& command,
                                         const std::string& libraries_folder,
                                         const std::string& region_path);

}  // namespace Atoll::trace
