// Repetition in a long queue.
#pragma once

#include <cstddef>
#include <span>

#include "stencil/queued.hpp"

namespace Atoll::stencil {

/// From loop `first` on, a queue repeats itself. Whole repetitions, a round, are run and planned as
/// one chain. So a long queue takes the plan of one round, and several tile sizes are tried within
/// it.
struct Rounds {
  std::size_t first = 0;
  std::size_t loops = 0;  ///< of a round; 0 if the queue is short or doesn't repeat itself
};

/// Minimum number of loops of a round. Data that a tile has loaded are used that often, so longer
/// rounds would save no more time.
inline constexpr std::size_t kRound = 125;
/// Minimum number of repetitions in a round: tiles may be faster across several steps.
inline constexpr std::size_t kRepetitions = 3;

/// Minimum number of loops of a queue that has rounds. Shorter chains are run as a whole.
inline constexpr std::size_t kLongQueue = 2000;

/// Queues of fewer than two rounds have none.
[[nodiscard]] Rounds rounds_of(std::span<const Queued> queue);

}  // namespace Atoll::stencil
