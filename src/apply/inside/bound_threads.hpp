// Records which of this process's threads the plan has bound. The program's own affinity calls are
// then overruled, and its queries are answered as if no thread were bound.
#pragma once

#include <cstdint>

#include "apply/inside/table.hpp"

namespace Atoll::apply::inside {

/// State of a thread.
struct ThreadPart {
  std::uint32_t planned = kNothing;  ///< number of its planned thread
  std::uint32_t stack = kNothing;    ///< target of its stack
};
extern constinit thread_local ThreadPart this_thread_part;

[[nodiscard]] std::int32_t this_tid();

/// Binds the calling thread and records it.
void bind_this_thread(const Units& units);
/// Removes the calling thread's record. Called when the thread ends.
void forget_this_thread();
/// Removes the records of all other threads. Called after a fork.
void forget_others();
/// Called when the program has bound `tid` itself (0: unknown). If the plan had bound it, binds it
/// again and returns true.
bool bind_again(std::int32_t tid);

}  // namespace Atoll::apply::inside
