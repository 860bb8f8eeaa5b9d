// Checks of row begins, which all lists in compressed sparse rows have.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace Atoll::detail {

/// Throws Error (input), which names `where` and the row ("task"), unless `begins` starts with 0,
/// never descends and ends with `entries`.
void check_begins(std::span<const std::uint64_t> begins, std::uint64_t entries,
                  std::string_view where, std::string_view row);

}  // namespace Atoll::detail
