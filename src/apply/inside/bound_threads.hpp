// Which of this process's threads are bound by the plan, so that the program's own affinity calls
// can be overruled and answered as if nobody had bound anything.
#pragma once

#include <cstdint>

#include "apply/inside/table.hpp"

namespace Atoll::apply::inside {

/// This thread's own part.
struct ThreadPart {
  std::uint32_t planned = kNothing;  ///< its number in the plan
  std::uint32_t stack = kNothing;    ///< the target of its stack
};
extern constinit thread_local ThreadPart this_thread_part;

[[nodiscard]] std::int32_t this_tid();

/// Binds the calling thread, and remembers it until it is forgotten.
void bind_this_thread(const Units& units);
/// Called when the calling thread ends.
void forget_this_thread();
/// Called after a fork: this thread is the only one.
void forget_others();
/// The program has bound `tid` (0: it isn't known which) itself. Returns true if the plan had bound
/// it; then it is bound so again.
bool bind_again(std::int32_t tid);

}  // namespace Atoll::apply::inside
