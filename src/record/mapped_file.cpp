// Determines the memory behind a mapping, so that mappings of the same pages in several processes
// can be matched.
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "record/recorder.hpp"

namespace Atoll::record {
namespace {

/// Returns true for /dev/zero. Each mapping of it is separate memory.
bool is_dev_zero(const struct stat& about) {
  return S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 5);
}

}  // namespace

void find_backing(Mapped& mapped, char (&path)[kMaxPath], int flags, int file,
                  std::uint64_t offset) {
  const bool is_shared = (flags & MAP_TYPE) != MAP_PRIVATE;
  path[0] = '\0';
  struct stat about = {};
  if ((flags & MAP_ANONYMOUS) != 0 || ::fstat(file, &about) != 0 || is_dev_zero(about)) {
    mapped.backing = is_shared ? Backing::shared_anonymous : Backing::own;
    return;
  }
  mapped.backing = is_shared ? Backing::shared_file : Backing::private_file;
  mapped.device = about.st_dev;
  mapped.inode = about.st_ino;
  mapped.offset = offset;
  char link[32];
  ::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
}

}  // namespace Atoll::record
