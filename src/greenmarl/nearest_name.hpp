// Suggestions for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace Atoll::greenmarl {

/// Returns the known name with the smallest edit distance (insertions, deletions, replacements,
/// transpositions) to `name`, or "" if more than a third of the letters differ. Of equally close
/// names, returns the first.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::vector<std::string_view>& known);

/// Returns "did you mean 'length'?" if a known name is close, else `otherwise`.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& known,
                                       std::string otherwise);

}  // namespace Atoll::greenmarl
