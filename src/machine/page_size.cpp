// Converts between page sizes and their names.
#include "atoll/machine/page_size.hpp"

namespace Atoll {

std::string_view to_string(PageSize pages) {
  static constexpr std::array<std::string_view, kPageSizes.size()> words{"4k", "2m", "2m-pool",
                                                                         "1g"};
  return words.at(static_cast<std::size_t>(pages));
}

std::optional<PageSize> page_size_from_string(std::string_view word) {
  for (const PageSize pages : kPageSizes)
    if (to_string(pages) == word) return pages;
  return {};
}

}  // namespace Atoll
