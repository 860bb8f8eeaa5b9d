// Splits text into tokens.
#pragma once

#include <vector>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/token.hpp"

namespace Atoll::greenmarl {

/// The list ends with the token `end`. Tokens refer to the source, which must outlive them. Reports
/// unclosed comments and letters that directly follow a number.
[[nodiscard]] std::vector<Token> lex(Diagnostics& diagnostics);

}  // namespace Atoll::greenmarl
