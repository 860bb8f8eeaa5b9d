// Lists of numbers in the form "0-3,6".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/place.hpp"

namespace Atoll::detail {

/// Writes "0-3,6": the numbers in the given order, with consecutive ascending numbers as ranges.
[[nodiscard]] std::string format_numbers(std::span<const int> numbers);
[[nodiscard]] std::string format_nodes(std::span<const NodeId> nodes);

/// Parses such a list, with numbers up to `most`. Throws Error (input) that names `where`, also if
/// the list is longer than a machine's maximum of parts.
[[nodiscard]] std::vector<int> parse_numbers(std::string_view text, std::string_view where,
                                             int most);

}  // namespace Atoll::detail
