// How much of a range lies in huge pages. They are a wish, and the figures depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>

namespace Atoll::measure {

/// The bytes in transparent huge pages of the mapping that holds `data`, at most `bytes`, as
/// /proc/self/smaps says; 0 if there is no such file.
[[nodiscard]] std::uint64_t huge_page_bytes(const void* data, std::uint64_t bytes);
/// The same, read from `smaps`.
[[nodiscard]] std::uint64_t huge_page_bytes(std::istream& smaps, std::uintptr_t address,
                                            std::uint64_t bytes);

}  // namespace Atoll::measure
