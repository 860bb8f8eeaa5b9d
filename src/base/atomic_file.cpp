// The temporary file has no name until it is complete (O_TMPFILE), so that even SIGKILL leaves no
// litter. File systems without unnamed files, and writers that need a name, get a named one, which
// the destructor removes.
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

AtomicFile::AtomicFile(std::string path, Mode mode)
    : path_(std::move(path)), temporary_(path_ + ".tmp" + std::to_string(::getpid())) {
  std::string folder = std::filesystem::path(path_).parent_path().string();
  if (folder.empty()) folder = ".";
  if (path_ == "-")
    throw Error::input("-", "standard output can't be the file to write here",
                       "name a file; ./- is the one that is called so");
  std::error_code error;  // if the status can't be read, opening fails below
  if (path_.empty()) throw Error::input("", "the file to write has no name", "name a file");
  if (std::filesystem::is_directory(path_, error))
    throw Error::input(path_, "is a directory", "name a file to write");
  if (std::filesystem::exists(path_, error) && !std::filesystem::is_regular_file(path_, error))
    throw Error::input(path_, "is no regular file", "name a file to write");
  const auto bits = static_cast<mode_t>(mode);
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, bits);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, bits);
  if (descriptor_ < 0) {
    const std::string reason = std::generic_category().message(errno);
    throw Error::input(path_, "can't be written: " + reason,
                       "name a file in a folder you may write to");
  }
}

AtomicFile::~AtomicFile() {
  if (temporary_.empty()) return;
  close();
  ::unlink(temporary_.c_str());
}

void AtomicFile::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
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

std::string AtomicFile::by_name() {
  close();
  ::unlink(temporary_.c_str());
  return temporary_;
}

void AtomicFile::commit() {
  // Another writer may have made a new file of that name, as linkers do, so the name is opened
  // again.
  if (descriptor_ < 0) descriptor_ = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0 || ::fsync(descriptor_) != 0) fail("writing it", errno);
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_nlink == 0) {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
    ::unlink(temporary_.c_str());
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0)
      fail("naming it", errno);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renaming it", errno);
  temporary_.clear();
  close();
}

}  // namespace Atoll
