// What simulated threads wait for: releases by their number, semaphores' posts, barriers. Times are
// positions of threads in the order of turns.
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
  /// A thread that goes on now, at least as late as `at`.
  struct Woken {
    std::uint32_t thread;
    Ticks at;
  };
  /// What has been seen of releases far behind the newest is forgotten: who waits for one then
  /// goes on at once.
  static constexpr std::uint64_t kRemembered = 1 << 20;

  /// Release `number` (from 1) happens. Returns who waited for it.
  std::vector<Woken> release(std::uint64_t number, Ticks at);
  /// Returns when the release happened; nothing: it hasn't, and the thread is in its list.
  std::optional<Ticks> wait_for(std::uint64_t number, std::uint32_t thread);
  /// The same for the number-th post to a semaphore, which lets one thread go on.
  std::vector<Woken> post(std::uint64_t process, std::uint64_t key, std::uint64_t number, Ticks at);
  std::optional<Ticks> take(std::uint64_t process, std::uint64_t key, std::uint64_t number,
                            std::uint32_t thread);
  /// The thread arrives at a barrier. If it is the last one, returns all threads that were there
  /// before it, with the latest arrival; else nothing: the thread waits.
  std::optional<std::vector<Woken>> meet(std::uint64_t process, std::uint64_t key,
                                         std::uint64_t number, std::uint32_t count,
                                         std::uint32_t thread, Ticks at);
  /// The thread doesn't wait any more, as nobody is left who would let it go on.
  void forget(std::uint32_t thread);
  /// What has happened so far happened at `at` at the latest: time begins to count.
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
  /// Null: too long ago.
  Event* release_of(std::uint64_t number);
  static std::vector<Woken> happen(Event& event, Ticks at);

  std::deque<Event> releases_;  ///< from number first_ on
  std::uint64_t first_ = 1;
  std::map<Key, Event> posts_;
  std::map<Key, Barrier> barriers_;
};

}  // namespace Atoll::simulate
