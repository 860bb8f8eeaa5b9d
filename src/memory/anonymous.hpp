// Anonymous memory of each page size, for any system with mmap(). The backends share it.
#pragma once

#include <cstddef>
#include <vector>

#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

/// Does what Backend::reserve does.
[[nodiscard]] std::byte* reserve_pages(std::size_t bytes, PageSize pages);
void release_pages(std::byte* data, std::size_t bytes) noexcept;
/// Maps every page of the range that isn't mapped yet.
void map_pages(Range range);
void discard_pages(Range range);
/// Returns, for each base page of the range, true if it is mapped.
[[nodiscard]] std::vector<bool> mapped_pages(Range range);

}  // namespace Atoll::memory
