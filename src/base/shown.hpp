// User text in messages.
#pragma once

#include <string>
#include <string_view>

namespace Atoll {

/// Returns a part of a message in which long words, such as a script's generated values, are
/// shortened in their middle. The result has at most 2,048 bytes.
[[nodiscard]] std::string shown(std::string_view part);

}  // namespace Atoll
