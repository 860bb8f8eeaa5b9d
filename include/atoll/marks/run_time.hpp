// Weak symbols by which the library's run time reports to a recorder or simulator that watches the
// process. Each is null unless the recorder is loaded.
#pragma once

#include <cstdint>

extern "C" {
/// Blocks until the simulator schedules this thread.
void atoll_wants_turn() __attribute__((weak));
/// Ends the operation that atoll_wants_turn() began.
void atoll_turn_over() __attribute__((weak));

// Locks. Without these hooks, the recorder can't distinguish a thread's lock polling from its work.
/// Acquires the lock: returns after try_it(lock) returned true.
void atoll_take_lock(void* lock, bool (*try_it)(void*)) __attribute__((weak));
/// Releases the lock: calls give(lock) once.
void atoll_give_lock(void* lock, void (*give)(void*)) __attribute__((weak));

// Teams of threads. Their workers poll before they block, which a recorder can't distinguish from
// work.
/// Called before a round starts. Until atoll_team_begun(), the team's threads are woken.
void atoll_team_begin(const void* team) __attribute__((weak));
void atoll_team_begun() __attribute__((weak));
/// Called when a worker begins its part.
void atoll_team_enter(const void* team) __attribute__((weak));
/// Called when a worker waits for its next round. With `for_end`, called when the thread that began
/// the round waits until all parts are finished, which atoll_team_ended() reports.
void atoll_team_waits(const void* team, bool for_end) __attribute__((weak));
void atoll_team_ended() __attribute__((weak));
/// Called when a thread has finished its part; it continues when all `threads` have finished.
void atoll_team_leave(const void* team, std::uint64_t round, std::uint32_t threads)
    __attribute__((weak));

/// Reports the name that the program has for memory [begin, begin + bytes). Must be called before
/// the pages are touched, because a simulator may place them by name.
void atoll_memory_name(const void* begin, std::uint64_t bytes, const char* name)
    __attribute__((weak));
}
