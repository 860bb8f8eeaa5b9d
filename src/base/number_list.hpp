// Linux's format of lists of processors and nodes, such as "0-3,8".
#pragma once

#include <string_view>
#include <vector>

namespace Atoll {

/// Parses a list such as "0-3,8". Returns the numbers before the first error, of at most 65,535.
[[nodiscard]] std::vector<int> parse_number_list(std::string_view list);

}  // namespace Atoll
