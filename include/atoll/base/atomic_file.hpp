// Writes files atomically: under a temporary name next to the target, renamed when complete. After
// an error or Ctrl-C, the old file is unchanged and no temporary file remains.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Atoll {

/// A file that appears under its name only when it is complete.
///
/// A replaced file's permissions and, if the system allows it, its owner are kept. A symbolic link
/// is followed: the file that it refers to is replaced.
class AtomicFile {
 public:
  /// Permissions of a new file, before the umask is applied. In a folder with the sticky bit, such
  /// as /tmp, `data` means 0600.
  enum class Mode : unsigned { data = 0666, program = 0777, own_data = 0600, own_program = 0700 };

  /// Opens the temporary file. Throws Error (input) if the folder isn't writable, or if `path`
  /// isn't a regular file, because renaming would replace a device or pipe. Refuses "-", which
  /// elsewhere means standard output.
  explicit AtomicFile(std::string path, Mode mode = Mode::data);
  /// Removes the temporary file unless commit() was called.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends to the file. Throws Error (failed), for example when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Returns the descriptor, for reading and writing, also as output of a child process.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Returns a path to which another writer (a database, a compiler) must write the whole content
  /// before commit(). The file there is empty. write() can't be used afterwards.
  [[nodiscard]] std::string by_name();
  /// Makes the content durable and renames the file. If this thread has an AtomicFiles, the
  /// renaming is left to AtomicFiles::commit().
  void commit();

 private:
  [[noreturn]] void fail(std::string_view tried, int error) const;
  void close() noexcept;
  void make_named();
  void complete();

  std::string path_, target_, folder_;  ///< `target_` is `path_` with links resolved
  std::string temporary_;               ///< empty if the file is unnamed or has its final name
  int descriptor_ = -1;
  mode_t mode_ = 0;
};

/// Renames several files together, after all are complete. During its lifetime, commit() of this
/// thread's AtomicFile objects leaves the old files unchanged. At most one object per thread.
class AtomicFiles {
 public:
  AtomicFiles();
  /// Removes complete files that weren't renamed.
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
