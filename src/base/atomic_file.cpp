// The temporary file is unnamed until it is complete (O_TMPFILE), so even SIGKILL leaves no file
// behind. A named file, which the destructor removes, is used for file systems without unnamed
// files, systems without /proc, and writers that need a name.
#include "atoll/base/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "atoll/base/error.hpp"
#include "base/output_path.hpp"
#include "base/temporary_file.hpp"

namespace Atoll {
namespace {

constexpr mode_t kPermissions = 0777;

thread_local AtomicFiles* together = nullptr;

/// Returns the permissions of the file that replaces `old`. A program is executable by all users
/// who may read it.
mode_t kept_mode(const struct stat& old, AtomicFile::Mode mode) {
  const mode_t kept = old.st_mode & kPermissions;
  const bool is_program = (static_cast<mode_t>(mode) & 0100) != 0;
  return is_program ? kept | (kept & 0444) >> 2 : kept;
}

mode_t new_mode(const std::string& folder, AtomicFile::Mode mode) {
  struct stat status {};
  const bool is_shared = ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_ISVTX) != 0;
  if (is_shared && mode == AtomicFile::Mode::data)
    return static_cast<mode_t>(AtomicFile::Mode::own_data);
  return static_cast<mode_t>(mode);
}

void rename_complete(const std::string& temporary, const std::string& target,
                     const std::string& path) {
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    throw Error::system(path, "renaming it", errno, "the old file, if any, is untouched");
}

/// Returns a path to an open file, for linkat().
std::string path_of(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(std::string path, Mode mode) : path_(std::move(path)) {
  if (path_ == "-")
    throw Error::input("-", "standard output can't be the file to write here",
                       "name a file; ./- is the one that is called so");
  if (path_.empty()) throw Error::input("", "the file to write has no name", "name a file");
  target_ = file_behind_links(path_);
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode))
    throw Error::input(path_, "is a directory", "name a file to write");
  if (exists && !S_ISREG(old.st_mode))
    throw Error::input(path_, "is no regular file", "name a file to write");
  folder_ = std::filesystem::path(target_).parent_path().string();
  if (folder_.empty()) folder_ = ".";
  const mode_t bits = exists ? kept_mode(old, mode) : new_mode(folder_, mode);
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, bits);
  const bool is_unnamed = descriptor_ >= 0 && ::access(path_of(descriptor_).c_str(), F_OK) == 0;
  const bool is_unknown =
      descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL);
  if (!is_unnamed && (descriptor_ >= 0 || is_unknown)) {
    close();
    remove_old_temporary_files(folder_);
    TemporaryFile named = create_temporary_file(folder_, bits);
    descriptor_ = named.descriptor;
    temporary_ = std::move(named.path);
  }
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const std::string reason = std::generic_category().message(errno);
    throw Error::input(path_, "can't be written: " + reason,
                       "name a file in a folder you may write to");
  }
  mode_ = exists ? bits : status.st_mode & kPermissions;  // after the umask
  if (exists && (old.st_uid != status.st_uid || old.st_gid != status.st_gid) &&
      ::fchown(descriptor_, old.st_uid, old.st_gid) != 0)
    static_cast<void>(!::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid));
}

AtomicFile::~AtomicFile() {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  if (temporary_.empty()) {
    remove_old_temporary_files(folder_);
    TemporaryFile named = create_temporary_file(folder_);
    if (named.descriptor < 0) fail("naming it", errno);
    close();
    descriptor_ = named.descriptor;
    temporary_ = std::move(named.path);
  }
  close();
  return temporary_;
}

/// Gives an unnamed file a temporary name, which rename() needs to replace an old file.
void AtomicFile::make_named() {
  std::string name;
  do {
    name = temporary_path(folder_);
    if (::linkat(AT_FDCWD, path_of(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);
      return;
    }
  } while (errno == EEXIST);
  fail("naming it", errno);
}

void AtomicFile::complete() {
  // Opens the name again, because another writer, such as a linker, may have replaced the file.
  const bool is_by_name = descriptor_ < 0;
  if (is_by_name) descriptor_ = ::open(temporary_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail("writing it", errno);
  if (is_by_name && status.st_size == 0) fail("writing it", ENODATA);
  if ((status.st_mode & kPermissions) != mode_ && ::fchmod(descriptor_, mode_) != 0)
    fail("setting its permissions", errno);
  if (::fsync(descriptor_) != 0) fail("writing it", errno);
  if (temporary_.empty()) make_named();
}

void AtomicFile::commit() {
  complete();
  if (together != nullptr) {
    together->files_.push_back({path_, target_, temporary_});
  } else {
    rename_complete(temporary_, target_, path_);
  }
  temporary_.clear();
  close();
}

AtomicFiles::AtomicFiles() {
  assert(together == nullptr);
  together = this;
}

AtomicFiles::~AtomicFiles() {
  if (together == this) together = nullptr;
  for (const Complete& file : files_) ::unlink(file.temporary.c_str());
}

void AtomicFiles::commit() {
  while (!files_.empty()) {
    const Complete& file = files_.front();
    rename_complete(file.temporary, file.target, file.path);
    files_.erase(files_.begin());
  }
  together = nullptr;
}

}  // namespace Atoll
