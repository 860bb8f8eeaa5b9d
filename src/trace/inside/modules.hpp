// Which programs and libraries are loaded, told to the hooks once each.
#pragma once

#include <cstdint>

namespace Atoll::trace::inside {

/// Tells what is loaded and wasn't told yet.
void note_modules();
/// The same if one of these addresses lies in nothing that was told.
void note_modules(const std::uint64_t* addresses, std::uint32_t n);

/// Whether an address is in this library; known once note_modules has been called.
[[nodiscard]] bool ours(std::uint64_t address);

}  // namespace Atoll::trace::inside
