// Converts between JSON text and values, for files that people write: errors have line and column,
// no key may occur twice, and the output keeps short things on one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// Throws Error (input) "where:line:column: …; way_out" if the text is not JSON or has a key twice.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view where,
                                        std::string_view way_out);

/// Writes JSON indented by two. A value that fits into a line of 100 characters is on one line.
[[nodiscard]] std::string format_json(const nlohmann::ordered_json& value);

}  // namespace Atoll::detail
