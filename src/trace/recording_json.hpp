// A recording as JSON, for the files that carry one.
#pragma once

#include <string>
#include <string_view>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

[[nodiscard]] std::string to_json(const Recording& recording);
/// Throws Error (input), naming `where`.
[[nodiscard]] Recording recording_from_json(std::string_view text, std::string_view where);

}  // namespace Atoll::trace
