// Who runs which chunk of a loop next. Each thread has a queue of chunks, of those at home on its
// node where that is known; when it is empty, the thread takes from the queues of its own node's
// threads, then of the nearest node's, and so on. No threads and no clock in here: loops run it on
// a team, tests on a virtual clock.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "atoll/array/raw_array.hpp"
#include "atoll/threads/neighbours.hpp"

namespace Atoll {

/// How chunks are given to threads.
enum class LoopSchedule {
  fixed,    ///< each thread does its own queue: the same chunks every time, for even work
  dynamic,  ///< a thread whose queue is empty helps the others, nearest first: for uneven work
};

inline constexpr std::size_t kLoopChunk = 1024;  ///< iterations; a balance of overhead and skew

/// On lines of its own (two, as processors fetch them in pairs): every thread reads it for a chunk.
class alignas(128) ChunkQueues {
  struct alignas(128) Queue {
    std::atomic<std::size_t> next{0};  ///< a position; at or beyond `end`: empty
    std::size_t end = 0;
  };

 public:
  /// Chunks without homes: the t-th equal part is thread t's, where it finds its partition.
  /// `team` outlives the queues.
  ChunkQueues(const Neighbours& team, std::size_t chunks);
  /// Chunks of kLoopChunk elements of an array, at home on the node that the layout names for
  /// them: each node's in equal parts for its threads, those of a node without threads for the
  /// nearest with some. As without homes where the layout prefers no thread to another (one node,
  /// replicas, granules that hold less than 8 chunks); and with `fixed` if some node would get over
  /// a quarter more or less than its threads' share. Parts with given bounds are followed whatever
  /// they are: by thread if there is one for each on its node.
  ChunkQueues(const Neighbours& team, const RawArray& array, LoopSchedule schedule);

  /// One thread's way through the queues.
  class Taker {
   public:
    Taker(ChunkQueues& queues, std::size_t thread, LoopSchedule schedule) noexcept
        : queues_(queues),
          queue_(&queues.queues_[thread]),
          thread_(thread),
          helps_(schedule == LoopSchedule::dynamic) {}

    /// The next chunk; false: none is left for this thread.
    [[nodiscard]] bool take(std::size_t& chunk) noexcept {
      if (queues_.stopped_.load(std::memory_order_relaxed)) return false;
      do {
        // A look first: threads that pass by an empty queue leave its line to the others.
        std::size_t position = queue_->next.load(std::memory_order_relaxed);
        if (position >= queue_->end) continue;
        if (helps_)
          position = queue_->next.fetch_add(1, std::memory_order_relaxed);
        else  // nobody else takes from this queue
          queue_->next.store(position + 1, std::memory_order_relaxed);
        if (position >= queue_->end) continue;
        chunk = queues_.chunk_at(position);
        return true;
      } while (helps_ && next_queue());
      return false;
    }

   private:
    bool next_queue() noexcept;

    ChunkQueues& queues_;
    Queue* queue_;
    std::size_t thread_;
    std::size_t node_ = 0;    ///< steps away from the thread's own,
    std::size_t victim_ = 0;  ///< and from its own rank among the threads there
    bool helps_;
  };

  /// No thread takes a further chunk.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

 private:
  /// The part-th of `parts` equal parts of `size` positions from `begin` on becomes the queue.
  static void fill(Queue& queue, std::size_t begin, std::size_t size, std::size_t part,
                   std::size_t parts) noexcept;
  void share_equally(std::size_t chunks) noexcept;

  [[nodiscard]] std::size_t chunk_at(std::size_t position) const noexcept {
    if (order_.empty()) return position;
    const std::size_t unit = position >> unit_shift_;
    return (order_[unit] << unit_shift_) + (position - (unit << unit_shift_));
  }

  const Neighbours& team_;
  std::vector<Queue> queues_;       ///< a thread's each
  std::vector<std::size_t> order_;  ///< units of 2^unit_shift_ chunks, by home; empty: ascending
  unsigned unit_shift_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace Atoll
