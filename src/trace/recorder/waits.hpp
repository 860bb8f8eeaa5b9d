// What threads wait for, in timed streams. A release (an unlock, a signal, a wake-up) has a number;
// a thread that has waited tells of the release that let it go on. That one happened before in real
// time, so who waits by these numbers never waits in a circle.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trace/recorder/recorder.hpp"

namespace Atoll::trace::recorder {

enum class WaitCall : std::uint32_t {
  release,       ///< key. WaitTold::other is set to its number
  expects,       ///< key, count: so many other threads go on behind its last release
  asleep,        ///< key, other key: the thread may have to wait for others from now on
  waited,        ///< key: the thread goes on, behind the last release
  followed,      ///< other: the thread goes on, behind the release of that number
  went_on,       ///< it goes on without having waited for somebody (a time-out)
  participants,  ///< key, count: of a barrier
  arrived,       ///< key: at a barrier, whose generation is told by how many have arrived
  passed,        ///< key: the barrier at which it arrived
  met,           ///< key, generation, count: a barrier that was passed
  value,         ///< key, count: a semaphore's first value
  posted,        ///< key
  took,          ///< key
  took_all,      ///< key: all posts so far that nobody has taken
  wants_turn,    ///< what the thread does next depends on who comes first: it waits for its turn,
                 ///< and before that, if there is a key, for a release of that. With `other`, it
                 ///< waits even if there is no other thread: it wants to know something
  turn_over,     ///< it has done it
  tries,         ///< key: the thread gets what stands for a lock, if nobody has it
  gives_up,      ///< key: it has it no more
  spins,         ///< while asleep: it has looked once more whether it may go on
};

/// What a program's wait functions tell. Keys are addresses, of the program's own or of others that
/// nobody else uses.
struct WaitTold {
  WaitCall call;
  std::uint32_t count = 0;  ///< of a release: how many go on that wait for a turn; 0: all
  bool hides = false;  ///< until the thread has waited or gone on, it does nothing of the program's
  std::uint64_t key = 0;
  std::uint64_t other = 0;    ///< a second key, or a generation
  std::uint64_t touches = 0;  ///< so many bytes at the key are written: the lock's own word
  bool answer = false;        ///< it has its turn; it has got the lock. Set by tell_wait()
};
/// True if the thread is no longer asleep after it.
inline constexpr bool ends_sleep(WaitCall call) {
  return call == WaitCall::waited || call == WaitCall::went_on || call == WaitCall::passed ||
         call == WaitCall::met || call == WaitCall::took || call == WaitCall::followed ||
         call == WaitCall::took_all;
}

/// What threads wait for: a lock, a semaphore, a barrier, a word of memory. They lie in the
/// region, as all processes use them.
struct WaitObject {
  std::atomic<std::uint64_t> key;    ///< of the process and the address; 0: unused
  std::atomic<std::uint64_t> last;   ///< the number of its last release; 0: none
  std::atomic<std::uint32_t> by;     ///< tid of the thread that released it last
  std::atomic<std::uint32_t> count;  ///< a barrier's participants; a semaphore's first value, 1
                                     ///< added; of what stands for a lock: 1 while a thread has it
  std::atomic<std::uint64_t> given,
      taken;  ///< a semaphore's posts and waits; arrivals at a barrier
};
inline constexpr std::uint64_t kWaitObjects = 1 << 16;

/// ThreadRecord::asleep of a thread that waits in a loop: kAsleep, and as much more as it has
/// looked; of others that wait: kAsleep.
inline constexpr std::uint32_t kAsleep = 1, kLookedOnce = 2;

/// True if waits are to be told.
[[nodiscard]] bool wants_waits();
void tell_wait(ThreadState* thread, WaitTold& told);
/// A call that places memory or threads: a RecordKind from 96 on, and its words but for the first.
void tell_placement(ThreadState* thread, std::uint32_t kind, const std::uint64_t* words,
                    std::size_t count);
inline constexpr std::size_t kMaxPlacementWords = 20;

}  // namespace Atoll::trace::recorder
