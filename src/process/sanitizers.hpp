// Detects programs that were built with -fsanitize. A sanitizer's run time replaces malloc and must
// be loaded first, so it doesn't work with preloaded libraries. It also reserves terabytes of
// address space, for which the emulator has no memory.
#pragma once

#include <string>

namespace Atoll::process {

/// Returns the name of the sanitizer that a program was built with, such as "AddressSanitizer".
/// Empty if there is none or it is unknown. The run time may be a shared library or part of the
/// program.
[[nodiscard]] std::string sanitizer_of(const std::string& path);

/// Throws Error (input) if the program of this command was built with a sanitizer. `command` is the
/// first word of a command line.
void refuse_sanitizer(const std::string& command);

}  // namespace Atoll::process
