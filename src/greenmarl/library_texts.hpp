// The C header and the C functions of libraries, files of the source tree with @X@ for their name,
// @U@ for it in capitals.
#pragma once

#include <span>

namespace Atoll::detail {

struct LibraryText {
  const char* name;
  const char* text;
};

/// The header, then the functions.
[[nodiscard]] std::span<const LibraryText> library_texts();

}  // namespace Atoll::detail
