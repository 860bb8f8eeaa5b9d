// The page's sources (src/profile/page/), which are built into the library.
#pragma once

#include <span>
#include <string_view>

namespace Atoll::detail {

struct PageFile {
  std::string_view name;  ///< file name without the extension
  std::string_view text;
};

[[nodiscard]] std::span<const PageFile> page_frames();
[[nodiscard]] std::span<const PageFile> page_styles();
/// Returns the scripts in ascending order by name, in which the page runs them.
[[nodiscard]] std::span<const PageFile> page_scripts();

}  // namespace Atoll::detail
