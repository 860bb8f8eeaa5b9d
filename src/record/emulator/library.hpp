// Code of the preloaded library, which isn't the guest's. Its own accesses aren't counted. Neither
// are those of functions (libc's) that it calls by name for its own purposes. It calls functions on
// behalf of the program, e.g. to clear memory for calloc or to start a thread, through pointers;
// these are counted.
#pragma once

#include <cstdint>

namespace Atoll::record::dbi {

enum class Code { of_guest, of_library, call_by_library, return_to_library };
/// Returns the kind of the instruction at an address.
Code kind_of_code(std::uint64_t address);

/// Registers a range of the library's code. There may be several ranges.
void library_is_at(std::uint64_t begin, std::uint64_t end);
/// Registers code whose own accesses aren't the program's, but those of its callees are.
void runtime_is_at(std::uint64_t begin, std::uint64_t end);

}  // namespace Atoll::record::dbi
