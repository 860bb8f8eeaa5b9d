#include "process/privileges.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace Atoll::process {

bool gains_privileges(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return false;
  const bool sets_user = (about.st_mode & S_ISUID) != 0 && about.st_uid != ::getuid();
  const bool sets_group = (about.st_mode & S_ISGID) != 0 && (about.st_mode & S_IXGRP) != 0 &&
                          about.st_gid != ::getgid();
  const bool has_capabilities =
      ::getuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return sets_user || sets_group || has_capabilities;
}

}  // namespace Atoll::process
