#include "greenmarl/cache_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "base/environment.hpp"

namespace Atoll::greenmarl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWayOut = "set XDG_CACHE_HOME to a folder that can be written to";

bool can_be_written(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && ::access(folder.c_str(), W_OK) == 0;
}

/// The folder that the XDG specification names; "" if the environment has none.
fs::path user_folder() {
  const char* cache = environment_variable("XDG_CACHE_HOME");
  const char* home = environment_variable("HOME");
  if (cache != nullptr && *cache == '/')  // a relative path is invalid by the specification
    return fs::path(cache) / "atoll";
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache/atoll";
  return {};
}

/// The folder for temporary files has other users, too: nobody else may have made this one, or
/// write to it.
fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) folder = "/tmp";
  folder /= fmt::format("atoll-cache-{}", ::geteuid());
  ::mkdir(folder.c_str(), 0700);
  struct stat known {};
  if (::lstat(folder.c_str(), &known) != 0 || ::access(folder.c_str(), W_OK) != 0)
    throw Error::failed(folder.string(), "can't keep compiled programs there", kWayOut);
  if (!S_ISDIR(known.st_mode) || known.st_uid != ::geteuid() || (known.st_mode & 0077) != 0)
    throw Error::failed(folder.string(), "is no folder of this user alone", kWayOut);
  return folder;
}

}  // namespace

fs::path cache_folder(const std::string& wanted) {
  if (!wanted.empty()) {
    if (!can_be_written(wanted))
      throw Error::failed(wanted, "can't keep compiled programs there", kWayOut);
    return fs::absolute(wanted);
  }
  const fs::path own = user_folder();
  if (!own.empty() && can_be_written(own)) return fs::absolute(own);
  fs::path folder = temporary_folder();
  note(fmt::format("compiled programs are kept in {}: {}", folder.string(),
                   own.empty() ? "neither XDG_CACHE_HOME nor HOME is set"
                               : own.string() + " can't be written to"));
  return folder;
}

}  // namespace Atoll::greenmarl
