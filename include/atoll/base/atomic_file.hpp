// Writes files that are there whole or not at all: they are written under a temporary name beside
// the target, and renamed when complete. An error, or Ctrl-C on the way, leaves the old file as it
// was and no litter.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Atoll {

/// A file being written, which isn't there until it is complete.
///
/// An old file keeps its permissions and, if the system allows it, its owner. A symbolic link
/// stays; the file that it leads to is replaced.
class AtomicFile {
 public:
  /// The permissions of a new file, before the umask is applied. In a shared folder (one with the
  /// sticky bit, as /tmp) `data` is for this user alone, 0600.
  enum class Mode : unsigned { data = 0666, program = 0777, own_data = 0600, own_program = 0700 };

  /// Opens the temporary file. Throws Error (input) if the folder can't be written to, or if `path`
  /// isn't a regular file: renaming would replace a device or pipe for everybody. "-" is refused,
  /// since it means standard output elsewhere.
  explicit AtomicFile(std::string path, Mode mode = Mode::data);
  /// Removes the temporary file unless commit() was called.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends; throws Error (failed), e.g. when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// The descriptor, to read and write, also for the output of a child process.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Returns the name under which another writer (a database, a compiler) must write the whole
  /// content before commit(). The file there is empty; write() can't be used any more.
  [[nodiscard]] std::string by_name();
  /// Makes the content durable and gives it its name. If an AtomicFiles of this thread lives, the
  /// name is given by its commit().
  void commit();

 private:
  [[noreturn]] void fail(std::string_view tried, int error) const;
  void close() noexcept;
  void make_named();
  void complete();

  std::string path_, target_, folder_;  ///< `target_` is the file behind the links of `path_`
  std::string temporary_;               ///< empty if the file has no name, or its own
  int descriptor_ = -1;
  mode_t mode_ = 0;
};

/// Gives several files their names together, after all of them are complete. While one lives,
/// commit() of this thread's AtomicFiles leaves the old files as they are. One at a time in a
/// thread.
class AtomicFiles {
 public:
  AtomicFiles();
  /// Removes what has no name yet.
  ~AtomicFiles();
  AtomicFiles(const AtomicFiles&) = delete;
  AtomicFiles& operator=(const AtomicFiles&) = delete;

  void commit();

 private:
  friend class AtomicFile;
  struct Complete {
    std::string path, target, temporary;
  };
  std::vector<Complete> files_;
};

}  // namespace Atoll
