// Suggestions for misspelled words of a call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace Atoll::options {

/// Returns the word of `words` with the lowest edit distance from `word`; "" if all are too far
/// away. The distance counts inserted, removed, replaced and swapped characters: at most 2, and at
/// most 1 for words of less than 5 characters.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace Atoll::options
