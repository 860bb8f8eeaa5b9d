// Test of the installed emulator's suitability for the front end `dbi`.
#pragma once

#include <string>

namespace Atoll::recording {

/// Starts the emulator with the plugin, which exits at once. Returns "" if that succeeded;
/// otherwise one line with the emulator's message and a remedy: static builds of qemu support no
/// plugins, and later versions may not support this version of plugins.
[[nodiscard]] std::string obstacle_of_emulator(const std::string& qemu, const std::string& plugin);

}  // namespace Atoll::recording
