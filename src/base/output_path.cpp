#include "base/output_path.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "atoll/base/error.hpp"

namespace Atoll {

namespace fs = std::filesystem;

std::string file_behind_links(const std::string& path) {
  const auto refuse = [&](int error) {
    throw Error::input(path, "can't be written: " + std::generic_category().message(error),
                       "name a file in a folder you may write to");
  };
  // The system checks the links first. It may refuse those that other users made.
  struct stat given {};
  const bool exists = ::stat(path.c_str(), &given) == 0;
  if (!exists && errno != ENOENT) refuse(errno);
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    if (links == 40) refuse(ELOOP);
    const fs::path next = fs::read_symlink(target, error);
    if (error) refuse(error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  // Links of /proc to files without a name lead nowhere.
  struct stat found {};
  const bool is_found = ::stat(target.c_str(), &found) == 0;
  if (exists && (!is_found || found.st_dev != given.st_dev || found.st_ino != given.st_ino))
    throw Error::input(path, "is a link to a file without a name", "name a file to write");
  return target.string();
}

}  // namespace Atoll
