// Conversion between JSON text and values, for files that people edit. Errors have line and column,
// duplicate keys are refused, and short values are printed on one line.
#pragma once

#include <string>
#include <string_view>

#include "atoll/base/json.hpp"

namespace Atoll::detail {

/// Throws Error (input) "where:line:column: …; way_out" for invalid JSON or a duplicate key.
[[nodiscard]] Json parse_json(std::string_view text, std::string_view where,
                              std::string_view way_out);

/// Formats JSON with an indentation of two. A value that fits on a line of 100 characters is on one
/// line.
[[nodiscard]] std::string format_json(const Json& value);

}  // namespace Atoll::detail
