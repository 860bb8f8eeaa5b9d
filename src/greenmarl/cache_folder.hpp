// The folder where compiled programs are kept.
#pragma once

#include <filesystem>
#include <string>

namespace Atoll::greenmarl {

/// Creates the folder if needed and returns its absolute path: `wanted`, else
/// $XDG_CACHE_HOME/atoll, else ~/.cache/atoll. If `wanted` is "" and neither can be written to, a
/// note names a folder of this user among the temporary files. Throws Error (failed) if there is no
/// folder to write to, and as check_is_own() does.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& wanted);

/// Throws Error (input) if another user owns the folder or file, or may write to it: such a user
/// could have put any program there.
void check_is_own(const std::filesystem::path& path);

}  // namespace Atoll::greenmarl
