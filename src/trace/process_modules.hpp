// What a process has loaded, and where; of a running one as the system tells it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace Atoll::trace {

struct LoadedModule {
  std::string path;
  std::uint64_t bias = 0;            ///< address = bias + the file's virtual address
  std::uint64_t begin = 0, end = 0;  ///< addresses
};

/// The program, the libraries and whatever else is an ELF file, ascending; empty where the process
/// is gone or another user's.
[[nodiscard]] std::vector<LoadedModule> modules_of_process(pid_t pid);

}  // namespace Atoll::trace
