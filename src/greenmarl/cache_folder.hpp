// The folder where compiled programs are kept.
#pragma once

#include <filesystem>
#include <string>

namespace Atoll::greenmarl {

/// Creates the folder if needed and returns its absolute path: `wanted`, else
/// $XDG_CACHE_HOME/atoll, else ~/.cache/atoll. If `wanted` is "" and neither can be written to, a
/// note names a folder of this user among the temporary files. Throws Error (failed) if there is no
/// folder to write to.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& wanted);

}  // namespace Atoll::greenmarl
