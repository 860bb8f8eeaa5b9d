// Refuses output files that a call also reads or executes.
#pragma once

#include <string>
#include <vector>

namespace Atoll {

/// Throws Error (input) if an output is the same file as an input, another output or the running
/// program. Existing files are compared by device and inode, so symbolic and hard links count;
/// outputs that don't exist yet are compared by absolute path. Empty paths are ignored. "-" is
/// standard input in `inputs`, and standard output in `outputs`.
void check_separate_files(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& inputs);

}  // namespace Atoll
