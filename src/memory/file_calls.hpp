// System calls on backing files. Tests override them to inject failures.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Atoll::memory {

/// Functions return -1 and set errno if the system call fails. They may be called from any thread.
class FileCalls {
 public:
  /// Properties of an open file.
  struct Facts {
    bool is_in_memory = false;              ///< on tmpfs or ramfs
    std::uint64_t free_bytes = 0;           ///< on the file system, including root's reserve
    std::uint64_t available_bytes = 0;      ///< excluding that reserve
    std::uint64_t block_bytes = 0;          ///< of the file system
    bool reports_direct = false;            ///< the two alignments below are known
    std::uint64_t direct_offset_bytes = 0;  ///< 0: no direct transfers
    std::uint64_t direct_address_bytes = 0;
  };

  virtual ~FileCalls() = default;
  /// Returns a descriptor of a new file without a name (O_TMPFILE).
  virtual int open_unnamed(const std::string& folder);
  /// Creates a file with a name and removes the name.
  virtual int open_removed(const std::string& folder);
  virtual int facts(int file, Facts& facts);
  virtual int allocate(int file, std::uint64_t bytes);
  virtual int truncate(int file, std::uint64_t bytes);
  /// Turns direct transfers (O_DIRECT) on or off.
  virtual int set_direct(int file, bool direct);
  virtual ssize_t read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset);
  virtual ssize_t write(int file, const std::byte* from, std::size_t bytes, std::uint64_t offset);
  /// Writes the range's dirty pages of the page cache to the disk, and waits for the writes.
  virtual int write_back(int file, std::uint64_t offset, std::uint64_t bytes);
};

}  // namespace Atoll::memory
