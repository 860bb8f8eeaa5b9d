// Parallel loops over index ranges on a team. Iterations come in chunks whose bounds depend on the
// range alone, and reductions are combined in the order of the chunks: an answer does not depend on
// the number of threads or on which of them ran what.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "atoll/threads/team.hpp"

namespace Atoll {

/// How chunks are given to threads.
enum class LoopSchedule {
  fixed,    ///< thread t gets the t-th equal part of the chunks: where it finds its partition
  dynamic,  ///< whoever is free takes the next chunk: where no part of the data is nearer than
            ///< another
};

inline constexpr std::size_t kLoopChunk = 1024;  ///< iterations; a balance of overhead and skew

namespace detail {

/// body(chunk) for each chunk in 0 … chunks-1, once.
template <class Body>
void for_each_chunk_number(const Team& team, std::size_t chunks, LoopSchedule schedule,
                           Body&& body) {
  const auto threads = static_cast<std::size_t>(team.size());
  if (schedule == LoopSchedule::fixed) {
    team.run([&](int thread) {
      const auto t = static_cast<std::size_t>(thread);
      const std::size_t end = chunks * (t + 1) / threads;
      for (std::size_t chunk = chunks * t / threads; chunk < end; ++chunk) body(chunk);
    });
  } else {
    std::atomic<std::size_t> next{0};
    team.run([&](int) {
      for (std::size_t chunk; (chunk = next.fetch_add(1, std::memory_order_relaxed)) < chunks;)
        body(chunk);
    });
  }
}

}  // namespace detail

/// Calls body(begin, end) for the chunks of [0, size), each on one thread.
template <class Body>
void for_each_chunk(const Team& team, std::size_t size, LoopSchedule schedule, Body&& body) {
  const std::size_t chunks = (size + kLoopChunk - 1) / kLoopChunk;
  detail::for_each_chunk_number(team, chunks, schedule, [&](std::size_t chunk) {
    body(chunk * kLoopChunk, std::min(size, (chunk + 1) * kLoopChunk));
  });
}

/// Combines body(begin, end) of all chunks, in their order, starting from `identity`.
template <class T, class Body, class Combine>
[[nodiscard]] T reduce_chunks(const Team& team, std::size_t size, LoopSchedule schedule, T identity,
                              Body&& body, Combine&& combine) {
  const std::size_t chunks = (size + kLoopChunk - 1) / kLoopChunk;
  struct Slot {  // not std::vector<T>: for bool that has no addresses of its own
    T value;
  };
  std::vector<Slot> partial(chunks, Slot{identity});
  detail::for_each_chunk_number(team, chunks, schedule, [&](std::size_t chunk) {
    partial[chunk].value = body(chunk * kLoopChunk, std::min(size, (chunk + 1) * kLoopChunk));
  });
  for (const Slot& slot : partial) identity = combine(identity, slot.value);
  return identity;
}

}  // namespace Atoll
