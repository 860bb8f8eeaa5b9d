#include "process/libraries.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "atoll/base/error.hpp"

namespace Atoll::process {

std::string libraries_folder(const std::string& elsewhere) {
  namespace fs = std::filesystem;
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder :
       {bin / "lib" / "atoll", bin.parent_path() / "lib" / "atoll", fs::path(elsewhere)})
    if (!folder.empty() && fs::exists(folder / "libatoll-record.so")) return folder.string();
  if (!elsewhere.empty())
    throw Error::failed(elsewhere, "has no libatoll-record.so",
                        "install atoll as a whole, and name its lib/atoll");
  throw Error::failed("libatoll-record.so", "isn't beside this program",
                      "install atoll as a whole: bin/atoll needs lib/atoll");
}

std::string preloadable(const std::string& folder, std::string_view library) {
  std::string path = fmt::format("{}/{}", folder, library);
  if (path.find_first_of(" :\t\n") == std::string::npos) return path;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error::system(path, "opening it", errno, "install atoll as a whole");
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file);
}

}  // namespace Atoll::process
