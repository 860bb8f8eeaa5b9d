// Finds the libraries and plugins that run inside programs that are watched, or that a plan is
// applied to.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::process {

/// Returns their folder: beside this program as built (lib/atoll) or installed (../lib/atoll), else
/// `elsewhere`, which a program outside the tree knows. Throws Error (failed) if they are in none
/// of these.
[[nodiscard]] std::string libraries_folder(const std::string& elsewhere = "");

/// Returns the path of a library of `folder` for LD_PRELOAD. Spaces and colons separate names
/// there, so a library in a folder with such a name is opened and named by its file's number. The
/// path is valid as long as this process lives.
[[nodiscard]] std::string preloadable(const std::string& folder, std::string_view library);

}  // namespace Atoll::process
