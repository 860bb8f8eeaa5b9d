// Pinned threads [shoal §4 Scheduling]: a team binds each of its threads to one processing unit,
// and each thread can query its place.
#pragma once

#include <atomic>
#include <memory>
#include <type_traits>

#include "atoll/base/error.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/threads/neighbours.hpp"

namespace Atoll {

/// Place of the calling thread.
struct CurrentPlace {
  int thread = -1;  ///< its number in the team; -1 outside of a team's run()
  NodeId node;
};
/// Returns the calling thread's place. A thread of a team has the place that the team pinned it to,
/// between runs, too. For any other thread (oneTBB's, the program's own), each call asks the system
/// for the node. That takes some 10 ns, and the result is valid until the thread is moved.
[[nodiscard]] CurrentPlace current_place() noexcept;

/// Thrown by work on a team that was asked to stop.
class Stopped : public Error {
 public:
  Stopped() : Error(Kind::failed, "run", "was asked to stop") {}
};

/// Pinned threads, numbered from 0, that execute functions together, one at a time.
class Team {
 public:
  enum class Runtime {
    openmp,       ///< threads of the OpenMP runtime, which a program's own OpenMP loops reuse
    std_threads,  ///< std::threads of the team
  };

  /// Pins thread i to places[i]. The calling thread becomes thread 0; its affinity is restored when
  /// it destroys the team. With `pin` = false, threads only get their numbers and nodes, for a
  /// target machine other than this one. Throws Error (failed) if the system refuses a place, Error
  /// (input) if there are no places.
  explicit Team(ThreadPlaces places, Runtime runtime = Runtime::openmp, bool pin = true);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Expires with the team. For users that may outlive the team.
  [[nodiscard]] std::weak_ptr<const Team> handle() const noexcept { return self_; }
  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] const ThreadPlaces& places() const noexcept;
  [[nodiscard]] const Neighbours& neighbours() const noexcept;

  /// Asks the work on this team to stop. Until forget_stop(), each loop on the team (running or
  /// later) and each check_stop() throws Stopped. May be called from any thread and from signal
  /// handlers.
  void request_stop() const noexcept { stop_.store(true, std::memory_order_relaxed); }
  void forget_stop() const noexcept { stop_.store(false, std::memory_order_relaxed); }
  /// Throws Stopped if a stop was requested. Long work calls it regularly; it costs a load.
  void check_stop() const {
    if (stop_.load(std::memory_order_relaxed)) [[unlikely]]
      throw Stopped();
  }

  /// Calls body(thread) once on each thread of the team. Returns when all calls have returned, and
  /// rethrows the first exception. Any thread may call it, and acts as thread 0 meanwhile. Throws
  /// Error (failed) if called within a run() of any team, while another thread is in a run() of
  /// this team, or, with OpenMP threads, within an OpenMP parallel region.
  template <class Body>
  void run(Body&& body) const {
    using Plain = std::remove_reference_t<Body>;
    run_erased([](void* context, int thread) { (*static_cast<Plain*>(context))(thread); },
               const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  void run_erased(void (*body)(void*, int), void* context) const;

  struct State;
  std::unique_ptr<State> state_;
  mutable std::atomic<bool> stop_{false};
  std::shared_ptr<const Team> self_{this, [](const Team*) {}};  ///< has no ownership
};

}  // namespace Atoll
