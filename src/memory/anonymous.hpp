// Anonymous memory of either page size, as every system with mmap() has it: what the backends
// share.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

/// As Backend::reserve.
[[nodiscard]] std::byte* reserve_pages(std::size_t bytes, PageSize pages);
void release_pages(std::byte* data, std::size_t bytes) noexcept;
/// Maps every page of the range that isn't mapped yet.
void map_pages(Range range);
void discard_pages(Range range);
/// For each base page of the range, whether it is mapped.
[[nodiscard]] std::vector<bool> mapped_pages(Range range);

}  // namespace Atoll::memory
