// The page sizes of memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace Atoll {

enum class PageSize {
  small,    ///< base pages of 4 KiB, never replaced by huge pages
  huge,     ///< transparent huge pages of 2 MiB, where the system provides them
  pool_2m,  ///< 2 MiB pages from the system's pool (hugetlb): never split, never swapped
  pool_1g,  ///< 1 GiB pages from the system's pool
};

inline constexpr std::array kPageSizes{PageSize::small, PageSize::huge, PageSize::pool_2m,
                                       PageSize::pool_1g};

/// Returns "4k", "2m", "2m-pool", "1g": the values of the option --pages and in layouts' JSON.
[[nodiscard]] std::string_view to_string(PageSize pages);
/// Parses the words that to_string returns; returns std::nullopt for any other word.
[[nodiscard]] std::optional<PageSize> page_size_from_string(std::string_view word);
[[nodiscard]] constexpr std::uint64_t page_bytes(PageSize pages) {
  switch (pages) {
    case PageSize::small:
      return std::uint64_t{4} << 10;
    case PageSize::huge:
    case PageSize::pool_2m:
      return std::uint64_t{2} << 20;
    case PageSize::pool_1g:
      break;
  }
  return std::uint64_t{1} << 30;
}
/// True if the pages come from a reserved pool (hugetlb), which is separate from all other memory.
[[nodiscard]] constexpr bool from_pool(PageSize pages) {
  return pages == PageSize::pool_2m || pages == PageSize::pool_1g;
}

}  // namespace Atoll
