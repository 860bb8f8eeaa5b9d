// Recognises compressed files and archives by their first bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace Atoll::graph {

/// Bytes of a file's beginning that is_packed() needs.
inline constexpr std::size_t kPackedHeadBytes = 512;

/// True if `head` is the beginning of a compressed file or an archive.
[[nodiscard]] bool is_packed(std::string_view head);

}  // namespace Atoll::graph
