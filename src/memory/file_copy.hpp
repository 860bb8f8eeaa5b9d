// A job with ends in files, cut into parts of some MiB that threads take in order. A part is one
// range of one file; it may consist of several pieces that are adjacent there.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

#include "atoll/memory/copy_engine.hpp"
#include "memory/file_access.hpp"

namespace Atoll::memory {

/// The buffers of one thread.
struct FileBuffers {
  AlignedBuffer blocks;  ///< of FileAccess
  AlignedBuffer part;    ///< a part that has several pieces
};

/// Thread-safe.
class FileCopy {
 public:
  enum class Direction {
    in,   ///< from a file to memory
    out,  ///< all other pieces
  };

  FileCopy(CopyJob job, const FileOptions& options);

  [[nodiscard]] bool has(Direction direction) const noexcept {
    return !queue(direction).parts.empty();
  }
  /// Takes and performs one part. Returns false if none is left to take; other threads may still be
  /// performing theirs.
  bool step(Direction direction, FileBuffers& buffers) noexcept;
  /// Takes all remaining parts and drops them.
  void drop_rest() noexcept;
  /// Blocks until no part is in flight. All parts must have been taken.
  void wait() noexcept;

  [[nodiscard]] TransferProgress progress() const noexcept;
  /// Throws the first error of any part. Called after wait().
  void throw_failure() const;

 private:
  struct Part {
    std::size_t piece = 0;
    std::size_t offset = 0;  ///< in that piece
    std::size_t bytes = 0;
    bool done = false;
  };
  /// The parts of one direction.
  struct Queue {
    std::vector<Part> parts;
    std::size_t next = 0;  ///< the first part that isn't taken
  };

  Queue& queue(Direction direction) noexcept { return queues_[static_cast<int>(direction)]; }
  const Queue& queue(Direction direction) const noexcept {
    return queues_[static_cast<int>(direction)];
  }
  void cut(Direction direction, std::size_t first, std::size_t last, const FileOptions& options);
  void perform(const Part& part, FileBuffers& buffers) const;
  /// Calls each(piece, offset in the piece, bytes, offset in the part).
  template <class Each>
  void for_each_piece(const Part& part, const Each& each) const;
  void load(const CopyPiece& piece, std::size_t offset, std::size_t bytes, std::byte* to,
            FileBuffers& buffers) const;
  void complete(Queue& queue, Part& part) noexcept;  // requires mutex_ to be held
  void drop_rest_locked() noexcept;                  // requires mutex_ to be held
  [[nodiscard]] bool done_locked() const noexcept;   // requires mutex_ to be held

  CopyJob job_;
  Queue queues_[2];
  mutable std::mutex mutex_;  ///< protects the members below, Queue::next and Part::done
  std::condition_variable ended_;
  std::size_t in_flight_ = 0;
  std::size_t bytes_done_ = 0;
  std::size_t prefix_ = 0;  ///< in a job of one piece: parts before the first that isn't done
  std::exception_ptr failure_;
};

}  // namespace Atoll::memory
