// Programs built with -fsanitize. The run time of such a sanitizer replaces malloc, and must be
// loaded before any other library; so it doesn't work with preloaded libraries. It also reserves
// terabytes of addresses, for which the emulator has no memory.
#pragma once

#include <string>

namespace Atoll::process {

/// Returns the name of the sanitizer with which a program was built, "AddressSanitizer"; empty if
/// there is none, or if that is unknown. Its run time may be a library or part of the program.
[[nodiscard]] std::string sanitizer_of(const std::string& path);

/// Throws Error (input) if the program that a command's first word names was built with a
/// sanitizer.
void refuse_sanitizer(const std::string& command);

}  // namespace Atoll::process
