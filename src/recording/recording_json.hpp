// JSON format of a recording, for trace files and profiles.
#pragma once

#include <string>
#include <string_view>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

[[nodiscard]] std::string to_json(const Recording& recording);
/// Throws Error (input) with `where` as the subject if the text is invalid.
[[nodiscard]] Recording recording_from_json(std::string_view text, std::string_view where);

}  // namespace Atoll::recording
