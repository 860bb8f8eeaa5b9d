// The code of the preloaded library, which isn't the guest's. Its own accesses aren't counted, nor
// those of functions that it calls by name (libc's) for its own ends. What it does on the program's
// behalf, from calloc's clearing to starting a thread, it calls through pointers.
#pragma once

#include <cstdint>

namespace Atoll::trace::dbi {

enum class Code { of_guest, of_library, call_by_library, return_to_library };
/// Returns the kind of the instruction at an address.
Code kind_of_code(std::uint64_t address);

/// Tells that the library's code has been mapped there; there may be several.
void library_is_at(std::uint64_t begin, std::uint64_t end);
/// Code whose accesses aren't the program's, but what it calls is.
void runtime_is_at(std::uint64_t begin, std::uint64_t end);

}  // namespace Atoll::trace::dbi
