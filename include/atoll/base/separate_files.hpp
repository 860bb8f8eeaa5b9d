// Refuses calls whose output would replace a file that the call reads or runs.
#pragma once

#include <string>
#include <vector>

namespace Atoll {

/// Throws Error (input) if an output is the same file as an input, as another output or as the
/// running program. Files are the same if their device and inode are, so symbolic and hard links
/// count too; outputs that do not exist yet are compared by their absolute paths. Empty paths are
/// ignored. "-" is standard input among `inputs`, and standard output among `outputs`.
void check_separate_files(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& inputs);

}  // namespace Atoll
