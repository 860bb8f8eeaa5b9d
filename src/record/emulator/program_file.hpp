// Classifies an executable file: an ELF program, a script (its interpreter is then examined), or a
// file that can't be watched. `atoll` refuses files that can't be watched. The plugin leaves them
// to the watched program's own call.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace Atoll::record::dbi {

enum class ProgramProblem {
  none,
  missing,
  not_executable,  ///< no permission, or not a regular file
  unreadable,      ///< executable but not readable
  privileged,      ///< setuid, setgid or with capabilities, which an emulator doesn't get
  not_a_program,   ///< neither ELF nor #!
  other_machine,   ///< ELF for another processor
  too_nested,      ///< too many nested scripts
};

struct ProgramFile {
  static constexpr std::size_t kLevels = 4;  ///< nested scripts; Linux has the same limit

  ProgramProblem problem = ProgramProblem::none;
  bool is_64_bit = true;
  bool is_dynamic = false;   ///< has a dynamic linker
  char path[PATH_MAX] = {};  ///< the ELF program, or the file that causes `problem`
  /// Words that precede a script's arguments: the interpreter, its argument, the script. argv[0]
  /// isn't among them; it is replaced by `path`.
  const char* words[3 * kLevels] = {};
  std::size_t word_count = 0;
  char lines[kLevels][256] = {};  ///< storage of the words
  char scripts[kLevels][PATH_MAX] = {};
};

void classify_program(const char* path, ProgramFile& program);

}  // namespace Atoll::record::dbi
