// Writes files that are there whole or not at all: they are written under a temporary name beside
// the target, and renamed when complete. An error, or Ctrl-C on the way, leaves the old file as it
// was and no litter.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace Atoll {

/// A file being written, which isn't there until it is complete.
class AtomicFile {
 public:
  /// The permissions of the file, before the umask is applied.
  enum class Mode : unsigned { data = 0666, program = 0777 };

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
  /// The descriptor, for the output of a child process.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Returns the name under which another writer (a database, a compiler) must write the whole
  /// content before commit(). Nothing is there yet; write() can't be used any more.
  [[nodiscard]] std::string by_name();
  /// Makes the content durable and gives it its name.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view tried, int error) const;

  void close() noexcept;

  std::string path_;
  std::string temporary_;  ///< empty once the file has its own name
  int descriptor_ = -1;
};

}  // namespace Atoll
