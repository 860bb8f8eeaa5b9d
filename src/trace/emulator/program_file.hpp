// What a file is for a system that is asked to execute it: an ELF program, a script (then its
// interpreter is looked at), or something that can't be watched. `atoll` refuses what can't be
// watched; the plugin leaves it to the watched program's own call.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace Atoll::trace::dbi {

enum class Trouble {
  none,
  missing,
  not_executable,  ///< permission, or not a file
  unreadable,      ///< it may be executed, not read
  privileged,      ///< setuid, setgid or with capabilities: an emulator can't take them on
  not_a_program,   ///< neither ELF nor #!
  other_machine,   ///< ELF for another processor
  too_nested,      ///< scripts of scripts of …
};

struct ProgramFile {
  static constexpr std::size_t kLevels = 4;  ///< of scripts; Linux has the same limit

  Trouble trouble = Trouble::none;
  bool is_64_bit = true;
  bool is_dynamic = false;   ///< has a dynamic linker
  char path[PATH_MAX] = {};  ///< the ELF program, or what there is trouble with
  /// What comes before a script's arguments, without argv[0], which `path` stands for: the
  /// interpreter, its argument, the script.
  const char* words[3 * kLevels] = {};
  std::size_t word_count = 0;
  char lines[kLevels][256] = {};  ///< texts of words
  char scripts[kLevels][PATH_MAX] = {};
};

void look_at(const char* path, ProgramFile& program);

}  // namespace Atoll::trace::dbi
