// Asks the installed emulator if it can do what the front end `dbi` needs.
#pragma once

#include <string>

namespace Atoll::trace {

/// Starts the emulator with the plugin, which ends it at once. Returns "" if that worked, else one
/// line with what the emulator said instead and what would help: static builds of qemu take no
/// plugin, later ones may take no plugin of this version.
[[nodiscard]] std::string obstacle_of_emulator(const std::string& qemu, const std::string& plugin);

}  // namespace Atoll::trace
