// A file without a name as the home of data that memory can't hold [out-of-core-stencils §4].
// Transfers bypass the page cache. Pieces of a CopyJob begin or end in such a file
// (memory/copy_engine.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Atoll::memory {

class FileAccess;

/// A part of a backing file, mapped into memory. Must not outlive the file. Not thread-safe.
///
/// Coherence: a mapping shows all transfers that ended before map(). Edits are seen by transfers
/// that start after close() or the destructor. For this, map() and close() drop the range from the
/// page cache, and close() first writes edited pages back. Between map() and close(), no transfer
/// may write to the range's pages (rounded to 4 KiB), and with Access::edit none may read them.
class FileMapping {
 public:
  enum class Access {
    view,  ///< a store to the range raises SIGSEGV
    edit,
  };

  FileMapping(FileMapping&& other) noexcept;
  FileMapping& operator=(FileMapping&& other) noexcept;
  /// Does the same as close(), and reports an error as a note().
  ~FileMapping();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Releases the memory of the whole pages among the first `bytes` bytes. They can still be
  /// accessed, and keep their edits.
  void release(std::size_t bytes) const noexcept;
  /// Writes edits to the file and unmaps the range. Has no effect if it was called before. Throws
  /// Error (failed) if the system can't write them; the range is unmapped nevertheless.
  void close();

 private:
  friend class BackingFile;
  FileMapping(FileAccess& file, std::uint64_t offset, std::size_t bytes, Access access);

  FileAccess* file_ = nullptr;  ///< null after close()
  std::uint64_t offset_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Access access_ = Access::view;
};

/// Owns a file without a name. The system deletes the file when it is closed, even if the process
/// is killed. All functions are thread-safe. The file must outlive its mappings, and the transfers
/// whose pieces refer to it.
class BackingFile {
 public:
  /// Creates a file of `bytes` zeros in `folder`, and allocates its space, so that a full disk is
  /// an error here and not during a transfer. If the system refuses a feature (refused()), the file
  /// works without it, and a note() reports this.
  /// Throws Error (input) if the folder doesn't exist, isn't writable or has too little space, or
  /// if `bytes` is 0 or larger than a file may be. Throws Error (failed) for other failures.
  BackingFile(const std::string& folder, std::uint64_t bytes);
  /// For tests, which inject failures of system calls (src/memory/file_access.hpp).
  explicit BackingFile(std::unique_ptr<FileAccess> access);
  ~BackingFile();
  BackingFile(const BackingFile&) = delete;
  BackingFile& operator=(const BackingFile&) = delete;

  [[nodiscard]] const std::string& folder() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  /// Unit of direct transfers in bytes, a power of two; 1 if transfers use the page cache.
  /// Transfers of any offset, size and address are possible. They are fastest, without a copy by
  /// the processor, if offset and size are multiples of this unit and the address is a multiple of
  /// 4096. A partial block is read before it is written.
  [[nodiscard]] std::size_t block_bytes() const noexcept;
  /// Features that the system refused, each as one line with the reason: an unnamed file
  /// (O_TMPFILE), the allocation of its space (fallocate), direct transfers (O_DIRECT). Empty if
  /// there are none.
  [[nodiscard]] const std::vector<std::string>& refused() const noexcept;

  /// Copies a range of the file to memory, or memory to a range of the file. Blocks. Concurrent
  /// transfers of disjoint ranges don't affect each other, even within one block of the file.
  /// Throws Error (input) if the range isn't within bytes(). Throws Error (failed) with folder,
  /// offset and the system's message if a transfer fails; part of the range may have been
  /// transferred.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint64_t offset, std::span<const std::byte> from);

  /// Maps a range that needn't be whole pages. Throws Error (input) if it is empty or isn't within
  /// bytes(), Error (failed) if the system refuses. If the system can't read a page from the disk,
  /// an access to it raises SIGBUS.
  [[nodiscard]] FileMapping map(std::uint64_t offset, std::size_t bytes,
                                FileMapping::Access access);

  /// Internal interface, for copy engines of `memory`.
  [[nodiscard]] FileAccess& access() const noexcept { return *access_; }

 private:
  std::unique_ptr<FileAccess> access_;
};

}  // namespace Atoll::memory
