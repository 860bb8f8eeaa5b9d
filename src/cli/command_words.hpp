// Finds the command in a call of a verb that runs commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoll/options/command.hpp"

namespace Atoll::cli {

/// Removes the command from the call `argv` of `verb` by reducing `argc`, and returns it. The
/// command is all words after "--". Without "--", it begins with the first word that isn't an
/// option or an option's value: any word if the verb takes only commands, else the path of a
/// program. Returns nothing if the call has no command. Throws Error (input) if a word after a
/// command without "--" is also an option of the verb.
///
/// CLI11 must not parse the command's own options (it takes [a,b] for two words).
[[nodiscard]] std::optional<std::vector<std::string>> take_command(int& argc, char** argv,
                                                                   options::Command verb,
                                                                   bool takes_only_commands);

}  // namespace Atoll::cli
