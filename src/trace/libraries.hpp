// Where the libraries and plugins are that run inside watched and placed programs.
#pragma once

#include <string>
#include <string_view>

namespace Atoll::trace {

/// Beside this program as built (lib/atoll) or installed (../lib/atoll). Throws Error (failed)
/// where they aren't.
[[nodiscard]] std::string libraries_folder();

/// The path of one of them as LD_PRELOAD can have it: spaces and colons separate names there, so
/// that a library in a folder with such a name is opened and named by its file's number. Good for
/// as long as this process lives.
[[nodiscard]] std::string preloadable(std::string_view library);

}  // namespace Atoll::trace
