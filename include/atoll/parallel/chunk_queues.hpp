// Assigns a loop's chunks to threads. Each thread has a queue of chunks, whose home is its node if
// homes are known. A thread with an empty queue steals from the threads of its own node, then of
// the nearest node, and so on. The classes use neither threads nor a clock: loops run them on a
// team, tests on a virtual clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "atoll/array/raw_array.hpp"
#include "atoll/plan/schedule.hpp"
#include "atoll/threads/in_turn.hpp"
#include "atoll/threads/neighbours.hpp"

namespace Atoll {

/// Assignment of chunks to threads.
enum class LoopSchedule {
  fixed,    ///< each thread runs its own queue: the same chunks in each run, for even work
  dynamic,  ///< a thread whose queue is empty steals from others, nearest first: for uneven work
};

inline constexpr std::size_t kLoopChunk = 1024;  ///< iterations; balances overhead and skew

/// The queues of one loop. Each queue has cache lines of its own, because all threads read it: two
/// lines, because processors prefetch pairs of lines.
class alignas(128) ChunkQueues {
  struct alignas(128) Queue {
    std::atomic<std::size_t> next{0};  ///< a position; the queue is empty if next >= end
    std::size_t end = 0;
  };

 public:
  /// Makes queues of chunks without homes. Thread t gets the t-th of equal parts, which is also its
  /// part of a partitioned array. `team` outlives the queues.
  ChunkQueues(const Neighbours& team, std::size_t chunks);
  /// Makes queues of chunks of kLoopChunk elements of an array. A chunk's home is the node on which
  /// the layout places it. A node's chunks are divided equally among its threads; if it has none,
  /// the nearest node with threads gets them. Chunks have no homes if the layout prefers no thread
  /// (one node, replicas, granules of less than 8 chunks). With `fixed`, they also have none if
  /// some node's chunks deviate by more than a quarter from its threads' equal share. Parts with
  /// explicit bounds are always followed: by thread, if each thread has one on its node, else by
  /// node.
  ChunkQueues(const Neighbours& team, const RawArray& array, LoopSchedule schedule);
  /// Makes queues of positions in `loop.tasks`: each thread's list. `loop` must have as many lists
  /// as the team has threads.
  ChunkQueues(const Neighbours& team, const ScheduledLoop& loop);

  /// Iterates over the chunks that one thread runs.
  class Taker {
   public:
    Taker(ChunkQueues& queues, std::size_t thread, LoopSchedule schedule) noexcept
        : queues_(queues),
          queue_(&queues.queues_[thread]),
          thread_(thread),
          steals_(schedule == LoopSchedule::dynamic) {}

    /// Takes the next chunk. Returns false if none is left for this thread.
    [[nodiscard]] bool take(std::size_t& chunk) noexcept {
      std::size_t end = 0;
      if (!take(chunk, end, 1)) return false;
      chunk = queues_.chunk_at(chunk);
      return true;
    }
    /// Takes the next positions, at most `most`. Returns false if none is left for this thread.
    [[nodiscard]] bool take(std::size_t& begin, std::size_t& end, std::size_t most) noexcept {
      const detail::InTurn turn(steals_);
      if (queues_.stopped_.load(std::memory_order_relaxed)) return false;
      do {
        // A load comes first: threads that skip an empty queue must not take its line exclusively.
        std::size_t position = queue_->next.load(std::memory_order_relaxed);
        if (position >= queue_->end) continue;
        if (steals_) position = queue_->next.fetch_add(most, std::memory_order_relaxed);
        if (position >= queue_->end) continue;
        begin = position;
        end = position + std::min(most, queue_->end - position);
        // no other thread takes from this queue
        if (!steals_) queue_->next.store(end, std::memory_order_relaxed);
        return true;
      } while (steals_ && next_queue());
      return false;
    }

   private:
    bool next_queue() noexcept;

    ChunkQueues& queues_;
    Queue* queue_;
    std::size_t thread_;
    std::size_t node_ = 0;    ///< index in the list of nearest nodes; 0 is the thread's own node
    std::size_t victim_ = 0;  ///< offset from the thread's own rank among that node's threads
    bool steals_;
  };

  /// Keeps all threads from taking further chunks.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

 private:
  /// Fills the queue with part `part` of `parts` equal parts of `size` positions from `begin`.
  static void fill(Queue& queue, std::size_t begin, std::size_t size, std::size_t part,
                   std::size_t parts) noexcept;
  void share_equally(std::size_t chunks) noexcept;

  [[nodiscard]] std::size_t chunk_at(std::size_t position) const noexcept {
    if (order_.empty()) return position;
    const std::size_t unit = position >> unit_shift_;
    return (order_[unit] << unit_shift_) + (position - (unit << unit_shift_));
  }

  const Neighbours& team_;
  std::vector<Queue> queues_;       ///< by thread
  std::vector<std::size_t> order_;  ///< units of 2^unit_shift_ chunks, by home; empty: ascending
  unsigned unit_shift_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace Atoll
