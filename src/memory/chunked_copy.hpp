// A copy or fill by loads and stores, cut into chunks that threads take without a lock: a preempted
// thread delays the others by at most its own chunk.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "atoll/memory/copy_engine.hpp"
#include "memory/stream_copy.hpp"

namespace Atoll::memory {

class ChunkedCopy {
 public:
  /// Streaming stores are faster from this size on. Smaller targets may still be in the caches, or
  /// be read from them afterwards.
  static constexpr std::size_t kStreamFromBytes = std::size_t{8} << 20;

  /// Divides the chunks of each node into `lanes` equal parts: the first one for lane 0, and so on.
  /// A thread that always uses the same lane finds its part of an array in its caches or on its
  /// node. With one lane, chunks are taken in order.
  ChunkedCopy(CopyJob job, int lanes, Stores stores);

  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_.size(); }
  /// Takes and performs one chunk, preferably one of `node`, and among those one of `lane`. Returns
  /// false if none is left to take; other threads may still be performing theirs.
  bool step(NodeId node, int lane = 0) noexcept;
  /// Takes all remaining chunks and drops them.
  void drop_rest() noexcept;
  /// Blocks until no chunk is in flight. All chunks must have been taken.
  void wait() const noexcept;

  [[nodiscard]] bool done() const noexcept { return left_.load(std::memory_order_acquire) == 0; }
  [[nodiscard]] std::size_t bytes_done() const noexcept {
    return bytes_done_.load(std::memory_order_relaxed);
  }

 private:
  struct Chunk {
    std::size_t piece = 0;   ///< first piece; a chunk may span several small ones
    std::size_t offset = 0;  ///< in that piece
    std::size_t bytes = 0;
  };
  /// The chunks of one lane: a range of chunks_.
  struct alignas(64) Lane {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };
  /// The chunks of one node.
  struct Group {
    NodeId node;
    std::vector<Lane> lanes;
  };

  void append(std::size_t piece, std::size_t chunk_bytes, std::size_t first);
  bool step(Group& group, int lane) noexcept;
  /// Returns null if the group has none left.
  const Chunk* take(Group& group, int lane) noexcept;
  void perform(const Chunk& chunk) const noexcept;
  void complete_chunks(std::size_t chunks) noexcept;

  CopyJob job_;
  Stores stores_;
  std::vector<std::byte> tile_;  ///< for a fill: repetitions of the pattern over a few pages
  std::vector<Chunk> chunks_;
  std::vector<Group> groups_;
  std::atomic<std::size_t> left_{0};  ///< chunks that are neither done nor dropped
  std::atomic<std::size_t> bytes_done_{0};
};

}  // namespace Atoll::memory
