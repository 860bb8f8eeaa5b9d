// JSON between text and values, for files that people write: errors with line and column, no key
// twice, and output that keeps short things on one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace Atoll::detail {

/// Throws Error (input) "where:line:column: …; way_out" for what is not JSON, or has a key twice.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view where,
                                        std::string_view way_out);

/// Indented by two; what fits into a line of 100 characters is on one.
[[nodiscard]] std::string format_json(const nlohmann::ordered_json& value);

}  // namespace Atoll::detail
