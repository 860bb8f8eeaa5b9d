// Reports to the hooks which programs and libraries are loaded, once each, and again if one was
// loaded anew: an address always belongs to the last module reported there.
#pragma once

#include <cstdint>

namespace Atoll::process::inside {

/// A library may have been unloaded: forgets the modules that aren't there any more, and their
/// sites.
void note_unloaded();
/// Reports modules that are loaded and weren't reported yet.
void note_modules();
/// Does the same if one of these addresses lies in no reported module.
void note_modules(const std::uint64_t* addresses, std::uint32_t n);

/// True if an address is in this library. It is known once note_modules has been called.
[[nodiscard]] bool ours(std::uint64_t address);

}  // namespace Atoll::process::inside
