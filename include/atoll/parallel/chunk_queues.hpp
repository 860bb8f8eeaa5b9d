// Decides which thread runs which chunk of a loop next. Each thread has a queue of chunks, of those
// at home on its node where that is known. When it is empty, the thread takes from the queues of
// its own node's threads, then of the nearest node's, and so on. There are no threads and no clock
// in here: loops run it on a team, tests on a virtual clock.
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

/// How chunks are given to threads.
enum class LoopSchedule {
  fixed,    ///< each thread does its own queue, the same chunks every time: for even work
  dynamic,  ///< a thread whose queue is empty helps the others, nearest first: for uneven work
};

inline constexpr std::size_t kLoopChunk = 1024;  ///< iterations; balances overhead and skew

/// A queue has lines of its own (two, as processors fetch them in pairs): every thread reads it for
/// a chunk.
class alignas(128) ChunkQueues {
  struct alignas(128) Queue {
    std::atomic<std::size_t> next{
        0};  ///< a position; the queue is empty if it is at or beyond `end`
    std::size_t end = 0;
  };

 public:
  /// Makes queues of chunks without homes: the t-th equal part is thread t's, where it finds its
  /// partition. `team` outlives the queues.
  ChunkQueues(const Neighbours& team, std::size_t chunks);
  /// Makes queues of chunks of kLoopChunk elements of an array, at home on the node that the layout
  /// names for them: each node's in equal parts for its threads, those of a node without threads
  /// for the nearest with some. Chunks have no homes if the layout prefers no thread to another
  /// (one node, replicas, granules that hold less than 8 chunks); nor, with `fixed`, if some node
  /// would get over a quarter more or less than its threads' share. Parts with given bounds are
  /// followed whatever they are: by thread if there is one for each on its node.
  ChunkQueues(const Neighbours& team, const RawArray& array, LoopSchedule schedule);
  /// Makes queues of the positions in `loop.tasks`: each thread's list. The loop is one for as many
  /// threads as the team has.
  ChunkQueues(const Neighbours& team, const ScheduledLoop& loop);

  /// One thread's way through the queues.
  class Taker {
   public:
    Taker(ChunkQueues& queues, std::size_t thread, LoopSchedule schedule) noexcept
        : queues_(queues),
          queue_(&queues.queues_[thread]),
          thread_(thread),
          helps_(schedule == LoopSchedule::dynamic) {}

    /// Takes the next chunk. Returns false if none is left for this thread.
    [[nodiscard]] bool take(std::size_t& chunk) noexcept {
      std::size_t end = 0;
      if (!take(chunk, end, 1)) return false;
      chunk = queues_.chunk_at(chunk);
      return true;
    }
    /// Takes the next positions, up to `most` of them. Returns false if none is left for this
    /// thread.
    [[nodiscard]] bool take(std::size_t& begin, std::size_t& end, std::size_t most) noexcept {
      const detail::InTurn turn(helps_);
      if (queues_.stopped_.load(std::memory_order_relaxed)) return false;
      do {
        // The position is read first: threads that pass by an empty queue leave its line to the
        // others.
        std::size_t position = queue_->next.load(std::memory_order_relaxed);
        if (position >= queue_->end) continue;
        if (helps_) position = queue_->next.fetch_add(most, std::memory_order_relaxed);
        if (position >= queue_->end) continue;
        begin = position;
        end = position + std::min(most, queue_->end - position);
        // nobody else takes from this queue
        if (!helps_) queue_->next.store(end, std::memory_order_relaxed);
        return true;
      } while (helps_ && next_queue());
      return false;
    }

   private:
    bool next_queue() noexcept;

    ChunkQueues& queues_;
    Queue* queue_;
    std::size_t thread_;
    std::size_t node_ = 0;    ///< steps away from the thread's own node
    std::size_t victim_ = 0;  ///< steps away from its own rank among the threads there
    bool helps_;
  };

  /// Makes all threads take no further chunk.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }

 private:
  /// Fills the queue with the part-th of `parts` equal parts of `size` positions from `begin` on.
  static void fill(Queue& queue, std::size_t begin, std::size_t size, std::size_t part,
                   std::size_t parts) noexcept;
  void share_equally(std::size_t chunks) noexcept;

  [[nodiscard]] std::size_t chunk_at(std::size_t position) const noexcept {
    if (order_.empty()) return position;
    const std::size_t unit = position >> unit_shift_;
    return (order_[unit] << unit_shift_) + (position - (unit << unit_shift_));
  }

  const Neighbours& team_;
  std::vector<Queue> queues_;       ///< one for each thread
  std::vector<std::size_t> order_;  ///< units of 2^unit_shift_ chunks, by home; empty: ascending
  unsigned unit_shift_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace Atoll
