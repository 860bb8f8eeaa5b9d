// Part of a range that is in huge pages. Huge pages are only requested, and the figures depend on
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>

namespace Atoll::measure {

/// Returns the number of bytes in transparent huge pages, according to /proc/self/smaps, of the
/// mapping that contains `data`; at most `bytes`. 0 if there is no such file.
[[nodiscard]] std::uint64_t huge_page_bytes(const void* data, std::uint64_t bytes);
/// The same, read from `smaps`.
[[nodiscard]] std::uint64_t huge_page_bytes(std::istream& smaps, std::uintptr_t address,
                                            std::uint64_t bytes);

}  // namespace Atoll::measure
