// Maps the region that the environment names.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/recorder/recorder.hpp"

namespace Atoll::trace::recorder {
namespace {

Header* region = nullptr;

}  // namespace

bool attach(const char* path) {
  if (region != nullptr) return true;
  if (path == nullptr) path = ::getenv(kVariable);
  if (path == nullptr) return false;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  struct stat about = {};
  void* mapped = MAP_FAILED;
  if (::fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(sizeof(Header)))
    mapped = ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return false;
  auto* found = static_cast<Header*>(mapped);
  if (found->magic != kMagic) {
    ::munmap(mapped, static_cast<std::size_t>(about.st_size));
    return false;
  }
  region = found;
  return true;
}

bool attached() {
  return region != nullptr;
}

Header* header() {
  return region;
}

}  // namespace Atoll::trace::recorder
