// Recognises Rutherford-Boeing and Harwell-Boeing matrices in order to refuse them.
#pragma once

#include <string_view>

#include "graph/load_text.hpp"

namespace Atoll::graph {

/// True if the third line begins with a matrix type ("rua") and the fourth with a Fortran format.
[[nodiscard]] bool is_rutherford_boeing(std::string_view head);
/// Throws Error (input) that explains the conversion to a supported format.
[[nodiscard]] ParsedText refuse_rutherford_boeing(TextReader& reader, const Team& team,
                                                  const TextRequest& request);

}  // namespace Atoll::graph
