// Finds what a process has loaded, and where. For a running process the system tells.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::process {

struct LoadedModule {
  std::string path;
  std::uint64_t bias = 0;            ///< address = bias + the file's virtual address
  std::uint64_t begin = 0, end = 0;  ///< addresses
};

/// Returns the program, the libraries and all other ELF files, ascending; nothing if the process
/// has ended or is another user's.
[[nodiscard]] std::vector<LoadedModule> modules_of_process(pid_t pid);

}  // namespace Atoll::process
