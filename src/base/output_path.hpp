// Resolves an output path to the file that it refers to.
#pragma once

#include <string>

namespace Atoll {

/// Follows symbolic links, also to a file that does not exist yet. Throws Error (input) if the
/// system would not open the path (cyclic links, too long a name), or if another user made the link
/// in a shared folder.
[[nodiscard]] std::string file_behind_links(const std::string& path);

}  // namespace Atoll
