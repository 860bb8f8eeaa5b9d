// The file that a path to write to stands for.
#pragma once

#include <string>

namespace Atoll {

/// Follows symbolic links, also to a file that does not exist yet. Throws Error (input) if the
/// system would not open the path (a loop of links, a name that is too long), or if another user
/// made the link in a shared folder.
[[nodiscard]] std::string file_behind_links(const std::string& path);

}  // namespace Atoll
