// Locates the libraries and plugins that run inside watched programs and programs with a plan.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::process {

/// Returns the folder of Atoll's libraries: relative to this program as built (lib/atoll) or
/// installed (../lib/atoll), else `elsewhere`, for programs outside the tree. Throws Error (failed)
/// if none of these folders has them.
[[nodiscard]] std::string libraries_folder(const std::string& elsewhere = "");

/// Returns the path of a library of `folder` for LD_PRELOAD, where spaces and colons are
/// separators. If the folder's name contains one, opens the library and returns the path of its
/// descriptor. The path is valid until this process ends.
[[nodiscard]] std::string preloadable(const std::string& folder, std::string_view library);

}  // namespace Atoll::process
