// Which programs and libraries are loaded, told to the hooks once each; again where one was loaded
// anew, so that an address is always the last one's that was told of it.
#pragma once

#include <cstdint>

namespace Atoll::trace::inside {

/// A library may have been unloaded: forgets those that aren't there any more, and their sites.
void note_unloaded();
/// Tells what is loaded and wasn't told yet.
void note_modules();
/// The same if one of these addresses lies in nothing that was told.
void note_modules(const std::uint64_t* addresses, std::uint32_t n);

/// Whether an address is in this library; known once note_modules has been called.
[[nodiscard]] bool ours(std::uint64_t address);

}  // namespace Atoll::trace::inside
