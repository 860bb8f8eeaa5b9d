// The cache folder of compiled programs.
#pragma once

#include <filesystem>
#include <string>

namespace Atoll::greenmarl {

/// Creates the cache folder if needed, and returns its absolute path: `wanted`, else
/// $XDG_CACHE_HOME/atoll, else ~/.cache/atoll. If `wanted` is "" and neither is writable, uses a
/// folder of this user in the folder for temporary files, and reports it in a note. Throws Error
/// (failed) if no folder is writable, and the errors of check_is_own().
[[nodiscard]] std::filesystem::path cache_folder(const std::string& wanted);

/// Throws Error (input) if another user owns the folder or file, or can write to it: that user
/// could have placed any program there.
void check_is_own(const std::filesystem::path& path);

}  // namespace Atoll::greenmarl
