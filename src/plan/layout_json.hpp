// A layout inside another JSON document.
#pragma once

#include "atoll/plan/layout.hpp"
#include "base/json_cursor.hpp"

namespace Atoll::detail {

/// Throws Error (input), which names the position in the document.
[[nodiscard]] Layout layout_from(const JsonCursor& json);

}  // namespace Atoll::detail
