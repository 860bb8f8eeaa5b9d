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
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  return !error && fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK) == 0;
}

/// Returns the folder of the XDG specification; "" if the environment defines none.
fs::path user_folder() {
  const char* cache = environment_variable("XDG_CACHE_HOME");
  const char* home = environment_variable("HOME");
  if (cache != nullptr && *cache == '/')  // a relative path is invalid by the specification
    return fs::path(cache) / "atoll";
  std::error_code error;  // a missing HOME isn't created
  if (home != nullptr && fs::is_directory(home, error)) return fs::path(home) / ".cache/atoll";
  return {};
}

/// Creates a folder in the shared folder for temporary files. The caller must run check_folder(),
/// because another user may own it or be able to write to it.
fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) folder = "/tmp";
  folder /= fmt::format("atoll-cache-{}", ::geteuid());
  ::mkdir(folder.c_str(), 0700);
  // Refuses symbolic links, which another user may have created.
  if (!fs::is_directory(fs::symlink_status(folder, error)) || ::access(folder.c_str(), W_OK) != 0)
    throw Error::failed(folder.string(), "can't keep compiled programs there", kWayOut);
  return folder;
}

[[noreturn]] void refuse_others(const fs::path& path) {
  throw Error::input(path.string(), "may be written by other users, so programs there are not run",
                     "if all in it is yours: chmod -R go-w");
}

/// Throws Error (input) unless this user owns the folder and other users can't replace it.
void check_folder(const fs::path& folder) {
  check_is_own(folder);
  const fs::path parent = fs::absolute(folder).parent_path();
  struct stat status {};
  if (::stat(parent.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0 &&
      (status.st_mode & S_ISVTX) == 0)
    refuse_others(parent);
}

}  // namespace

void check_is_own(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw Error::system(path.string(), "reading it", errno);
  if (status.st_uid != ::geteuid())
    throw Error::input(path.string(), "is of another user, so programs there are not run",
                       "remove it, or set XDG_CACHE_HOME to a folder of this user");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse_others(path);
}

fs::path cache_folder(const std::string& wanted) {
  if (!wanted.empty()) {
    if (!can_be_written(wanted))
      throw Error::failed(wanted, "can't keep compiled programs there", kWayOut);
    check_folder(wanted);
    return fs::absolute(wanted);
  }
  const fs::path own = user_folder();
  if (!own.empty() && can_be_written(own)) {
    check_folder(own);
    return fs::absolute(own);
  }
  fs::path folder = temporary_folder();
  check_folder(folder);
  note(fmt::format("compiled programs are kept in {}: {}", folder.string(),
                   own.empty() ? "neither XDG_CACHE_HOME nor HOME names a folder"
                               : own.string() + " can't be written to"));
  return folder;
}

}  // namespace Atoll::greenmarl
