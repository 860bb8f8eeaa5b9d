// Whether the installed emulator can do what the front end `dbi` needs: it is asked.
#pragma once

#include <string>

namespace Atoll::trace {

/// Starts the emulator with the plugin, which ends it at once; "" where that worked. Else what it
/// said instead and what would help, in one line: static builds of qemu take no plugin, later ones
/// may take no plugin of this version.
[[nodiscard]] std::string obstacle_of_emulator(const std::string& qemu, const std::string& plugin);

}  // namespace Atoll::trace
