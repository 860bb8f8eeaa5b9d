// Number of bytes that an x86 vector instruction accesses. The emulator splits such an access into
// parts of 8 bytes; it has to be counted once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::record::dbi {

/// Returns the size (16 or 32) of the memory operand of the instruction at `code`. Returns 8 if it
/// has none, a smaller one, or several.
unsigned vector_width(const std::uint8_t* code, std::size_t bytes, bool is_64_bit);

}  // namespace Atoll::record::dbi
