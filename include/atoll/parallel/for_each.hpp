// Parallel loops over index ranges and arrays on a team, near the data (docs/loops.md). Chunk
// bounds depend only on the size, and reductions combine chunks in ascending order. So results
// don't depend on the number of threads or on the assignment of chunks.
//
// If a body throws, the loop rethrows the first exception after each thread has finished its
// current chunk; other chunks don't run. The same holds if the team is asked to stop. A loop within
// a loop, and other calls that Team::run() refuses, throw Error (failed).
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "atoll/array/array.hpp"
#include "atoll/base/error.hpp"
#include "atoll/parallel/chunk_queues.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll {

/// The index range [0, size) of a loop, and the home node of each index.
class LoopRange {
 public:
  /// Indices without an array. The t-th of equal parts has thread t's node as its home, as in an
  /// array that is partitioned by thread.
  LoopRange(std::size_t size) noexcept : size_(size) {}  // implicit: a size is a range
  /// Indices of an array; an element's home is the node on which the layout places it. The array
  /// outlives the loop.
  template <class T>
  LoopRange(const Array<T>& array) noexcept : size_(array.size()), array_(&array.raw()) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t chunks() const noexcept {
    return size_ / kLoopChunk + (size_ % kLoopChunk != 0);
  }
  /// Bounds of a chunk: its first index, and the index after its last.
  [[nodiscard]] std::size_t begin_of(std::size_t chunk) const noexcept {
    return chunk * kLoopChunk;
  }
  [[nodiscard]] std::size_t end_of(std::size_t chunk) const noexcept {
    return begin_of(chunk) + std::min(kLoopChunk, size_ - begin_of(chunk));
  }
  [[nodiscard]] ChunkQueues queues(const Neighbours& team, LoopSchedule schedule) const {
    return array_ != nullptr ? ChunkQueues(team, *array_, schedule) : ChunkQueues(team, chunks());
  }

 private:
  std::size_t size_;
  const RawArray* array_ = nullptr;
};

namespace detail {

/// Calls body(chunk) once for each chunk of the queues.
template <class Body>
void for_each_queued(const Team& team, ChunkQueues&& queues, LoopSchedule schedule, Body&& body) {
  team.run([&](int thread) {
    ChunkQueues::Taker taker(queues, static_cast<std::size_t>(thread), schedule);
    try {
      for (std::size_t chunk = 0; taker.take(chunk);) {
        team.check_stop();
        body(chunk);
      }
    } catch (...) {
      queues.stop();
      throw;
    }
  });
}

/// Calls body(chunk) once for each chunk in [0, chunks).
template <class Body>
void for_each_chunk_number(const Team& team, std::size_t chunks, LoopSchedule schedule,
                           Body&& body) {
  for_each_queued(team, ChunkQueues(team.neighbours(), chunks), schedule, body);
}

}  // namespace detail

/// Calls body(begin, end) for each chunk of the range. A call runs on one thread, so a body can get
/// its arrays' local views once per chunk.
template <class Body>
void for_each_chunk(const Team& team, const LoopRange& range, LoopSchedule schedule, Body&& body) {
  detail::for_each_queued(
      team, range.queues(team.neighbours(), schedule), schedule,
      [&](std::size_t chunk) { body(range.begin_of(chunk), range.end_of(chunk)); });
}

/// Calls body(i) for each index of the range.
template <class Body>
void for_each(const Team& team, const LoopRange& range, LoopSchedule schedule, Body&& body) {
  for_each_chunk(team, range, schedule, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// Combines the results of body(begin, end) for all chunks in ascending order, starting from
/// `identity`. Stores a T for each chunk; throws Error (failed) if memory is short.
template <class T, class Body, class Combine>
[[nodiscard]] T reduce_chunks(const Team& team, const LoopRange& range, LoopSchedule schedule,
                              T identity, Body&& body, Combine&& combine) {
  struct Slot {  // not std::vector<T>: elements of std::vector<bool> have no addresses
    T value;
  };
  std::vector<Slot> partial;
  try {
    partial.assign(range.chunks(), Slot{identity});
  } catch (const std::exception&) {
    throw Error::failed(
        "loop",
        "no memory for a result of each of its " + std::to_string(range.chunks()) + " chunks",
        "reduce the range in parts");
  }
  for_each_chunk(team, range, schedule, [&](std::size_t begin, std::size_t end) {
    partial[begin / kLoopChunk].value = body(begin, end);
  });
  for (const Slot& slot : partial) identity = combine(identity, slot.value);
  return identity;
}

}  // namespace Atoll
