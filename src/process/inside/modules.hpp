// Reports loaded programs and libraries to the hooks: once for each load, so an address belongs to
// the module that was reported there last.
#pragma once

#include <cstdint>

namespace Atoll::process::inside {

/// Called after a library may have been unloaded. Forgets the modules that are no longer loaded,
/// and their sites.
void note_unloaded();
/// Reports the loaded modules that weren't reported yet.
void note_modules();
/// Calls note_modules() if any of these addresses is in no reported module.
void note_modules(const std::uint64_t* addresses, std::uint32_t n);

/// Returns true if the address belongs to this library. Returns false before the first call of
/// note_modules.
[[nodiscard]] bool is_in_this_library(std::uint64_t address);

}  // namespace Atoll::process::inside
