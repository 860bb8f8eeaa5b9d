// The temporary file has no name until it is complete (O_TMPFILE), so that even SIGKILL leaves no
// litter; file systems without unnamed files get a named one, removed by the destructor.
#include "atoll/base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

std::string temporary_name(const std::string& path) {
  return path + ".tmp" + std::to_string(::getpid());
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  std::string folder = std::filesystem::path(path_).parent_path().string();
  if (folder.empty()) folder = ".";
  std::error_code error;  // where nothing can be told of it, opening fails
  if (path_.empty()) throw Error::input("", "the file to write has no name", "name a file");
  if (std::filesystem::is_directory(path_, error))
    throw Error::input(path_, "is a directory", "name a file to write");
  // A device or pipe would be replaced by a file: /dev/null for everybody.
  if (std::filesystem::exists(path_, error) && !std::filesystem::is_regular_file(path_, error))
    throw Error::input(path_, "is no regular file", "name a file to write");
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    descriptor_ =
        ::open(temporary_name(path_).c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const std::string reason = std::generic_category().message(errno);
    throw Error::input(path_, "can't be written: " + reason,
                       "name a file in a folder you may write to");
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_name(path_).c_str());
}

void AtomicFile::fail(std::string_view tried, int error) const {
  throw Error::system(path_, tried, error, "the old file, if any, is untouched");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("writing it", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("writing it", errno);
  const std::string temporary = temporary_name(path_);
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_nlink == 0) {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
    ::unlink(temporary.c_str());
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0)
      fail("naming it", errno);
  }
  if (::rename(temporary.c_str(), path_.c_str()) != 0) fail("renaming it", errno);
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace Atoll
