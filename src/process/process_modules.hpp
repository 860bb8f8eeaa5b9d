// Modules that a running process has loaded, and their addresses, as the system reports them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::process {

struct LoadedModule {
  std::string path;
  std::uint64_t bias = 0;            ///< address = bias + virtual address in the file
  std::uint64_t begin = 0, end = 0;  ///< addresses
};

/// Returns the program, the libraries and all other mapped ELF files, in ascending order of
/// address. Empty if the process has ended or belongs to another user.
[[nodiscard]] std::vector<LoadedModule> modules_of_process(pid_t pid);

}  // namespace Atoll::process
