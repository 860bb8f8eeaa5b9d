// Templates of a library's C header and C functions, from files in the source tree. @X@ is replaced
// by the library's name, @U@ by the name in capitals.
#pragma once

#include <span>

namespace Atoll::detail {

struct LibraryText {
  const char* name;
  const char* text;
};

/// Returns the header, then the functions.
[[nodiscard]] std::span<const LibraryText> library_texts();

}  // namespace Atoll::detail
