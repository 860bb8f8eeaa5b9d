#include "base/output_path.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "atoll/base/error.hpp"

namespace Atoll {

namespace fs = std::filesystem;

namespace {

/// Returns true for a link in a shared folder that belongs neither to this user nor to the folder's
/// owner. Linux doesn't follow such links if fs.protected_symlinks is 1.
bool is_planted(const fs::path& link) {
  struct stat folder {
  }, about{};
  const fs::path parent = link.has_parent_path() ? link.parent_path() : ".";
  return ::stat(parent.c_str(), &folder) == 0 && ::lstat(link.c_str(), &about) == 0 &&
         (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0 &&
         about.st_uid != ::geteuid() && about.st_uid != folder.st_uid;
}

}  // namespace

std::string file_behind_links(const std::string& path) {
  const auto refuse = [&](int error) {
    throw Error::input(path, "can't be written: " + std::generic_category().message(error),
                       "name a file in a folder you may write to");
  };
  struct stat given {};
  const bool exists = ::stat(path.c_str(), &given) == 0;
  if (!exists && errno != ENOENT) refuse(errno);
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == 40) refuse(ELOOP);
    if (is_planted(target))
      throw Error::input(target.string(), "is a link of another user in a shared folder",
                         "name a file to write");
    const fs::path next = fs::read_symlink(target, error);
    if (error) refuse(error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  // The target of a /proc link to an unnamed file doesn't exist.
  struct stat found {};
  const bool is_found = ::stat(target.c_str(), &found) == 0;
  if (exists && (!is_found || found.st_dev != given.st_dev || found.st_ino != given.st_ino))
    throw Error::input(path, "is a link to a file without a name", "name a file to write");
  return target.string();
}

}  // namespace Atoll
