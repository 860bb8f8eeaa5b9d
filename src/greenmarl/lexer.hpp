// Turns text into tokens.
#pragma once

#include <vector>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/token.hpp"

namespace Atoll::greenmarl {

/// The list ends with a token `end`. Tokens point into the source, which must outlive them. A
/// comment that isn't closed and a letter that directly follows a number are reported.
[[nodiscard]] std::vector<Token> lex(Diagnostics& diagnostics);

}  // namespace Atoll::greenmarl
