// Suggestions for misspelt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace Atoll::greenmarl {

/// The known name that is nearest to `name` by inserted, removed, replaced and exchanged letters,
/// if at most a third of the letters differ; else "". Of names equally near, the first.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::vector<std::string_view>& known);

/// "did you mean 'length'?" if a known name is near, else `otherwise`.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& known,
                                       std::string otherwise);

}  // namespace Atoll::greenmarl
