// Files that are there whole or not at all: written under a temporary name beside the target, and
// renamed when complete. An error, or Ctrl-C on the way, leaves the old file as it was and no
// litter.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace Atoll {

/// A file being written, which isn't there until it is complete.
class AtomicFile {
 public:
  /// Opens the temporary file. Throws Error (input) where the folder can't be written to.
  explicit AtomicFile(std::string path);
  /// Without commit(): removes the temporary file.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends; throws Error (failed), e.g. when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Makes the content durable and gives it its name.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view tried, int error) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace Atoll
