// A temporary folder for files that other processes open. It is deleted when this process ends,
// even if it is killed.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace Atoll::simulate {

class TemporaryDirectory {
 public:
  /// Creates a folder with this name and the first free five-digit number. So programs that read
  /// the name see the same one in each run, unless other runs are active. A child process waits for
  /// the end of this process and then deletes the folder, even after SIGKILL. Throws Error (failed)
  /// if there is no space.
  explicit TemporaryDirectory(const std::filesystem::path& name);
  /// Blocks until the folder is deleted.
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int alive_ = -1;  ///< write end of a pipe: closed at the end of this process at the latest
  pid_t waits_ = -1;
};

}  // namespace Atoll::simulate
