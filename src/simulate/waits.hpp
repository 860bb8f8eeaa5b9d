// Events that simulated threads wait for: numbered releases, posts to semaphores, barriers. Times
// are Engine positions.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simulate/ticks.hpp"

namespace Atoll::simulate {

class Waits {
 public:
  /// A thread that resumes now, no earlier than `at`.
  struct Woken {
    std::uint32_t thread;
    Ticks at;
  };
  /// Number of releases that are remembered. A wait for an older release ends at once.
  static constexpr std::uint64_t kRemembered = 1 << 20;

  /// Records release `number` (from 1). Returns the threads that waited for it.
  std::vector<Woken> release(std::uint64_t number, Ticks at);
  /// Returns the time of the release. If it hasn't happened, registers the thread as waiting and
  /// returns empty.
  std::optional<Ticks> wait_for(std::uint64_t number, std::uint32_t thread);
  /// As release() and wait_for(), for the number-th post to a semaphore, which resumes one thread.
  std::vector<Woken> post(std::uint64_t process, std::uint64_t key, std::uint64_t number, Ticks at);
  std::optional<Ticks> take(std::uint64_t process, std::uint64_t key, std::uint64_t number,
                            std::uint32_t thread);
  /// Records a thread's arrival at a barrier. The last arrival returns all threads, including
  /// itself, with the latest arrival time. Earlier ones return empty: the thread waits.
  std::optional<std::vector<Woken>> meet(std::uint64_t process, std::uint64_t key,
                                         std::uint64_t number, std::uint32_t count,
                                         std::uint32_t thread, Ticks at);
  /// Cancels the thread's wait, as no thread is left that could end it.
  void forget(std::uint32_t thread);
  /// Limits the times of all past events to `at`, when a timed part starts.
  void limit(Ticks at);

 private:
  struct Event {
    bool happened = false;
    Ticks at = 0;
    std::vector<std::uint32_t> waiting;
  };
  struct Key {
    std::uint64_t process, key, number;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Barrier {
    std::vector<std::uint32_t> there;
    Ticks latest = 0;
  };
  /// Null if the release is too old or out of range.
  Event* release_of(std::uint64_t number);
  static std::vector<Woken> happen(Event& event, Ticks at);

  std::deque<Event> releases_;  ///< from release number first_ on
  std::uint64_t first_ = 1;
  std::map<Key, Event> posts_;
  std::map<Key, Barrier> barriers_;
};

}  // namespace Atoll::simulate
