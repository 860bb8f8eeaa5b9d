// Waits of threads in timed streams. Each release (an unlock, a signal, a wake-up) has a number. A
// thread that has waited records the release that resumed it. That release is earlier in real time,
// so these dependencies cannot form a cycle.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/recorder.hpp"

namespace Atoll::record {

/// Operations of threads on locks, barriers and semaphores, as interposers report them.
/// record_wait() appends the records of group wait that follow from an operation: none, one or
/// several.
enum class WaitCall : std::uint32_t {
  release,        ///< key. Sets WaitReport::other to the release's number
  expects,        ///< key, count: threads that resume after this thread's last release of key
  asleep,         ///< key, other key: the thread may block from now on
  waited,         ///< key: the thread resumes after the last release of key
  followed,       ///< other: the thread resumes after the release with that number
  continued,      ///< the thread resumes without having waited for another thread (timeout)
  participants,   ///< key, count: number of participants of a barrier
  arrived,        ///< key: arrival at a barrier; the number of arrivals determines its generation
  passed,         ///< key: the thread leaves the barrier at which it arrived
  met,            ///< key, generation, count: the thread has passed a barrier
  value,          ///< key, count: initial value of a semaphore
  posted,         ///< key
  took,           ///< key
  took_all,       ///< key: takes all posts so far that no thread has taken
  requests_turn,  ///< requests a turn, as the thread's next action depends on the order of
                  ///< threads. If there is a key, first waits for a release of key. If `other` is
                  ///< not 0, waits even if there is no other thread
  ends_turn,      ///< ends the turn
  tries,          ///< key: tries to acquire the shadow flag of a lock
  gives_up,       ///< key: releases the shadow flag of a lock
  spins,          ///< while asleep: the thread has checked its condition once more
};

/// Argument of record_wait(), which interposed wait functions call. Keys are addresses of the
/// program, or other unique addresses.
struct WaitReport {
  WaitCall call;
  std::uint32_t count = 0;  ///< release: number of threads with a turn request that it resumes;
                            ///< 0: all
  bool hides = false;  ///< until the thread has waited or resumed, it runs no code of the program
  std::uint64_t key = 0;
  std::uint64_t other = 0;    ///< second key, generation or number of a release
  std::uint64_t touches = 0;  ///< number of bytes at `key` that are written: the lock's own word
  bool answer = false;        ///< result of record_wait(): the turn was granted; the flag was
                              ///< acquired
};
/// Returns true if the call ends the thread's sleep.
inline constexpr bool ends_sleep(WaitCall call) {
  return call == WaitCall::waited || call == WaitCall::continued || call == WaitCall::passed ||
         call == WaitCall::met || call == WaitCall::took || call == WaitCall::followed ||
         call == WaitCall::took_all;
}

/// Object that threads wait on: a lock, a semaphore, a barrier or a word of memory. WaitObjects are
/// in the region, as all processes share them.
struct WaitObject {
  std::atomic<std::uint64_t> key;    ///< combines process and address; 0: unused
  std::atomic<std::uint64_t> last;   ///< number of its last release; 0: none
  std::atomic<std::uint32_t> by;     ///< tid of the thread that made its last release
  std::atomic<std::uint32_t> count;  ///< barrier: participants; semaphore: 1 + initial value;
                                     ///< shadow flag: 1 while acquired
                                     ///< value; of a shadow flag: 1 while acquired
  std::atomic<std::uint64_t> given,
      taken;  ///< semaphore: posts and waits; barrier: `given` counts arrivals
};
inline constexpr std::uint64_t kWaitObjects = 1 << 16;

/// Values of ThreadRecord::asleep: kAsleep for a thread that waits; a thread that waits in a loop
/// adds kLookedOnce for each check of its condition.
inline constexpr std::uint32_t kAsleep = 1, kLookedOnce = 2;

/// Returns true if waits are to be recorded.
[[nodiscard]] bool wants_waits();
void record_wait(ThreadState* thread, WaitReport& report);
/// Records a call that places memory or threads. `kind` is a RecordKind of group placement; `words`
/// are its fields after the clock.
void record_placement(ThreadState* thread, std::uint32_t kind, const std::uint64_t* words,
                      std::size_t count);
inline constexpr std::size_t kMaxPlacementWords = 20;

}  // namespace Atoll::record
