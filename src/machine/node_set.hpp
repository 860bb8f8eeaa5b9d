// Lists of numbers as people write them: "0-3,6".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/place.hpp"

namespace Atoll::detail {

/// Writes "0-3,6": the numbers in their order, with runs of ascending neighbours folded.
[[nodiscard]] std::string format_numbers(std::span<const int> numbers);
[[nodiscard]] std::string format_nodes(std::span<const NodeId> nodes);

/// Reads that back, with numbers up to `most`. Throws Error (input), naming `where`, also if there
/// are more numbers than a machine can have parts.
[[nodiscard]] std::vector<int> parse_numbers(std::string_view text, std::string_view where,
                                             int most);

}  // namespace Atoll::detail
