// Anonymous memory of each page size, for any system with mmap(). Shared by the backends.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

/// Implements Backend::reserve().
[[nodiscard]] std::byte* reserve_pages(std::size_t bytes, PageSize pages);
void release_pages(std::byte* data, std::size_t bytes) noexcept;
/// Maps all pages of the range that aren't mapped yet.
void map_pages(Range range);
void discard_pages(Range range);
/// Returns true for each base page of the range that is mapped.
[[nodiscard]] std::vector<bool> mapped_pages(Range range);

}  // namespace Atoll::memory
