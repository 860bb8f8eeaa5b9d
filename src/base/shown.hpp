// Text of the user's in messages.
#pragma once

#include <string>
#include <string_view>

namespace Atoll {

/// Returns a part of a message without the middle of long words, such as a value that a script
/// made. It has at most 2,048 bytes.
[[nodiscard]] std::string shown(std::string_view part);

}  // namespace Atoll
