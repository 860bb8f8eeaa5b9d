// Result of a simulated run.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/camat.hpp"
#include "simulate/counts.hpp"
#include "simulate/parts.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Counts and stall time of the accesses to one object.
struct ObjectTotals {
  std::uint64_t accesses = 0;
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0, tlb_misses = 0;
  std::uint64_t memory_side_requests = 0, memory_side_misses = 0;  ///< in front of memories
  Ticks time = 0;                                                  ///< stalls of all threads
  std::uint64_t pages_of_unknown_node = 0;                         ///< as the program reports it
};

/// Result of a run. All times except `ended` cover the timed parts only.
struct EngineResult {
  Ticks elapsed = 0;
  Ticks ended = 0;  ///< when the last thread ended
  std::uint64_t accesses = 0;
  Stack stack{0};  ///< over all threads, from the start to the end of each thread
  Ticks thread_time = 0;
  std::vector<ObjectTotals> objects;
  std::vector<CamatSums> camat;  ///< by cache level
  Counts counts;
  std::uint64_t cut_waits = 0;  ///< waits that no thread could end, and that were therefore broken
  bool was_stopped = false;     ///< before all threads had ended, by a signal
};

}  // namespace Atoll::simulate
