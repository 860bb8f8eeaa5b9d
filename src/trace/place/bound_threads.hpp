// Which of this process's threads are bound by the plan, so that the program's own affinity calls
// can be overruled and answered as if nobody had bound anything.
#pragma once

#include <cstdint>

#include "trace/place/table.hpp"

namespace Atoll::trace::place {

/// What a thread knows of itself.
struct ThreadPart {
  std::uint32_t planned = kNothing;  ///< its number in the plan
  std::uint32_t stack = kNothing;    ///< the target of its stack
};
extern constinit thread_local ThreadPart this_thread_part;

[[nodiscard]] std::int32_t this_tid();

/// Binds the calling thread; remembered until it is forgotten.
void bind_this_thread(const Units& units);
/// The calling thread ends.
void forget_this_thread();
/// After a fork: this thread is the only one.
void forget_others();
/// The program has bound `tid` (0: it isn't known which) itself. True: it was bound by the plan and
/// is so again.
bool bind_again(std::int32_t tid);

}  // namespace Atoll::trace::place
