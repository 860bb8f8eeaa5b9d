// A folder for files that others open while this process lives. It goes when the process does,
// however that ends.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace Atoll::simulate {

class PassingFolder {
 public:
  /// Makes a folder of that name with a number of five digits, the first one that is free: programs
  /// that read the name read the same in each run, unless others run meanwhile. A process of its
  /// own waits for this one's end, and then deletes it: even SIGKILL leaves nothing. Throws Error
  /// (failed) if there is no room.
  explicit PassingFolder(const std::filesystem::path& name);
  /// Returns when the folder is deleted.
  ~PassingFolder();
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int alive_ = -1;  ///< the writing end of a pipe: closed at the end of this process at the latest
  pid_t waits_ = -1;
};

}  // namespace Atoll::simulate
