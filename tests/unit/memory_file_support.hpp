// System calls on backing files that fail on request, and folders on file systems of several kinds.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/memory/backing_file.hpp"
#include "memory/file_access.hpp"
#include "memory_copy_support.hpp"

namespace Atoll::memory {

/// One call of pread or pwrite.
struct FileTransfer {
  bool is_write = false;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  const std::byte* address = nullptr;
};

/// Settings and records of FaultyCalls. Shared by the test and the file.
struct FileFaults {
  // errno values of calls that fail; 0 means the call is passed to the system
  std::atomic<int> open_unnamed{0}, open_removed{0}, allocate{0}, truncate{0}, set_direct{0},
      write_back{0};
  bool ignores_direct_offsets = false;  ///< reports that O_DIRECT isn't supported
  /// Called before each transfer, possibly by several threads. Returns nothing if the transfer is
  /// passed to the system, a negative errno value if it fails, or the number of bytes that are
  /// transferred at most.
  std::function<std::optional<std::int64_t>(const FileTransfer&)> limit;

  [[nodiscard]] std::vector<FileTransfer> transfers() const {
    const std::scoped_lock lock(mutex);
    return recorded;
  }
  void forget() {
    const std::scoped_lock lock(mutex);
    recorded.clear();
  }

  mutable std::mutex mutex;
  std::vector<FileTransfer> recorded;
};

class FaultyCalls : public FileCalls {
 public:
  explicit FaultyCalls(std::shared_ptr<FileFaults> faults) : faults_(std::move(faults)) {}

  int open_unnamed(const std::string& folder) override {
    return fails(faults_->open_unnamed) ? -1 : FileCalls::open_unnamed(folder);
  }
  int open_removed(const std::string& folder) override {
    return fails(faults_->open_removed) ? -1 : FileCalls::open_removed(folder);
  }
  int facts(int file, Facts& facts) override {
    const int result = FileCalls::facts(file, facts);
    if (faults_->ignores_direct_offsets) {
      facts.reports_direct = true;
      facts.direct_offset_bytes = 0;
    }
    return result;
  }
  int allocate(int file, std::uint64_t bytes) override {
    return fails(faults_->allocate) ? -1 : FileCalls::allocate(file, bytes);
  }
  int truncate(int file, std::uint64_t bytes) override {
    return fails(faults_->truncate) ? -1 : FileCalls::truncate(file, bytes);
  }
  int set_direct(int file, bool direct) override {
    return fails(faults_->set_direct) ? -1 : FileCalls::set_direct(file, direct);
  }
  int write_back(int file, std::uint64_t offset, std::uint64_t bytes) override {
    return fails(faults_->write_back) ? -1 : FileCalls::write_back(file, offset, bytes);
  }
  ssize_t read(int file, std::byte* to, std::size_t bytes, std::uint64_t offset) override {
    const auto limit = before({false, offset, bytes, to});
    return limit < 0 ? -1 : FileCalls::read(file, to, static_cast<std::size_t>(limit), offset);
  }
  ssize_t write(int file, const std::byte* from, std::size_t bytes, std::uint64_t offset) override {
    const auto limit = before({true, offset, bytes, from});
    return limit < 0 ? -1 : FileCalls::write(file, from, static_cast<std::size_t>(limit), offset);
  }

 private:
  static bool fails(const std::atomic<int>& error) {
    if (error != 0) errno = error;
    return error != 0;
  }
  /// Returns the bytes to transfer, or -1 and sets errno.
  std::int64_t before(const FileTransfer& transfer) {
    {
      const std::scoped_lock lock(faults_->mutex);
      faults_->recorded.push_back(transfer);
    }
    const auto limit = faults_->limit ? faults_->limit(transfer) : std::nullopt;
    if (limit && *limit < 0) errno = static_cast<int>(-*limit);
    const auto bytes = static_cast<std::int64_t>(transfer.bytes);
    return limit ? std::max<std::int64_t>(-1, std::min(*limit, bytes)) : bytes;
  }

  std::shared_ptr<FileFaults> faults_;
};

inline std::unique_ptr<BackingFile> faulty_file(const std::string& folder, std::uint64_t bytes,
                                                std::shared_ptr<FileFaults> faults) {
  return std::make_unique<BackingFile>(std::make_unique<FileAccess>(
      folder, bytes, std::make_unique<FaultyCalls>(std::move(faults))));
}

/// Bytes in memory or in a backing file, as source or target of pieces.
class Store {
 public:
  /// If `folder` is empty, the bytes are in memory.
  Store(Bytes content, const std::string& folder) : memory_(std::move(content)) {
    if (folder.empty()) return;
    file_ = std::make_unique<BackingFile>(folder, std::max<std::size_t>(1, memory_.size()));
    file_->write(0, memory_);
  }
  [[nodiscard]] BackingFile* file() const { return file_.get(); }
  [[nodiscard]] Bytes content() const {
    Bytes bytes = memory_;
    if (file_ != nullptr) file_->read(0, bytes);
    return bytes;
  }
  void set_target(CopyPiece& piece, std::size_t offset) {
    if (file_ != nullptr) piece.to_file = {file_.get(), offset};
    if (file_ == nullptr) piece.to = memory_.data() + offset;
  }
  void set_source(CopyPiece& piece, std::size_t offset) const {
    if (file_ != nullptr) piece.from_file = {file_.get(), offset};
    if (file_ == nullptr) piece.from = memory_.data() + offset;
  }

 private:
  Bytes memory_;
  std::unique_ptr<BackingFile> file_;
};

/// Returns a piece from `from` at one offset to `to` at another.
inline CopyPiece piece_of(Store& to, std::size_t to_offset, const Store& from,
                          std::size_t from_offset, std::size_t bytes, NodeId node = kNowhere) {
  CopyPiece piece;
  to.set_target(piece, to_offset);
  from.set_source(piece, from_offset);
  piece.bytes = bytes;
  piece.node = node;
  return piece;
}

inline std::size_t files_in(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

}  // namespace Atoll::memory
