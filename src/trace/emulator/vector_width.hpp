// How many bytes an x86 vector instruction accesses at once. The emulator splits such an access
// into parts of 8 bytes; the program's own count is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::trace::dbi {

/// Returns the bytes (16 or 32) of the memory operand of the instruction at `code`; 8 if it has
/// none, a smaller one, or several.
unsigned vector_width(const std::uint8_t* code, std::size_t bytes, bool is_64_bit);

}  // namespace Atoll::trace::dbi
