// Reads and writes of a backing file at any offset, size and address. Direct transfers move whole
// blocks from and to aligned memory. Other parts are copied through a buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/aligned_buffer.hpp"
#include "memory/file_calls.hpp"

namespace Atoll::memory {

class FileAccess {
 public:
  /// Opens the file; see BackingFile.
  FileAccess(std::string folder, std::uint64_t bytes,
             std::unique_ptr<FileCalls> calls = std::make_unique<FileCalls>());
  ~FileAccess();
  FileAccess(const FileAccess&) = delete;
  FileAccess& operator=(const FileAccess&) = delete;

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] const std::vector<std::string>& refused() const noexcept { return refused_; }
  [[nodiscard]] int descriptor() const noexcept { return file_; }

  /// Throws Error (input) unless the range is within the file.
  void check_range(std::uint64_t offset, std::uint64_t bytes) const;
  /// Transfers of ranges within the file. Throw Error (failed). Thread-safe, with a buffer for each
  /// thread.
  void read(std::uint64_t offset, std::byte* to, std::size_t bytes, AlignedBuffer& buffer) const;
  void write(std::uint64_t offset, const std::byte* from, std::size_t bytes, AlignedBuffer& buffer);
  /// Removes the range's clean pages from the page cache.
  void drop_cache(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  /// Writes the range's dirty pages of the page cache to the disk.
  void write_back(std::uint64_t offset, std::uint64_t bytes);

  /// Makes an Error (failed) that names the folder and the offset.
  [[nodiscard]] Error failure(const char* tried, std::uint64_t offset, int errno_value) const;

 private:
  void open();
  void allocate();
  void use_direct_transfers();
  void close() noexcept;
  void refuse(const std::string& feature, const std::string& consequence);

  [[nodiscard]] bool is_aligned(const std::byte* address) const noexcept;
  void read_blocks(std::uint64_t offset, std::byte* to, std::size_t bytes) const;
  void write_blocks(std::uint64_t offset, const std::byte* from, std::size_t bytes) const;
  void write_part_of_block(std::uint64_t offset, const std::byte* from, std::size_t bytes,
                           AlignedBuffer& buffer);

  const std::string folder_;
  const std::uint64_t bytes_;
  const std::unique_ptr<FileCalls> calls_;
  FileCalls::Facts facts_;
  int file_ = -1;
  std::size_t block_bytes_ = 1;
  std::size_t address_bytes_ = 1;  ///< required alignment of memory
  std::vector<std::string> refused_;
  /// Held while part of a block is read, changed and written. Blocks share mutexes by number.
  std::array<std::mutex, 64> block_mutexes_;
};

}  // namespace Atoll::memory
