// Finds the libraries and plugins that run inside programs that are watched, or that a plan is
// applied to.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::process {

/// Returns their folder, beside this program as built (lib/atoll) or installed (../lib/atoll).
/// Throws Error (failed) if they aren't there.
[[nodiscard]] std::string libraries_folder();

/// Returns the path of one of them for LD_PRELOAD. Spaces and colons separate names there, so a
/// library in a folder with such a name is opened and named by its file's number. The path is valid
/// as long as this process lives.
[[nodiscard]] std::string preloadable(std::string_view library);

}  // namespace Atoll::process
