// Turns text into tokens.
#pragma once

#include <vector>

#include "greenmarl/token.hpp"

namespace Atoll::greenmarl {

/// The list ends with a token `end`. Tokens point into `source`, which must outlive them. Throws
/// SourceError for a comment that isn't closed and for a letter that directly follows a number.
[[nodiscard]] std::vector<Token> lex(const Source& source);

}  // namespace Atoll::greenmarl
