// Threads that stay on their processing units [shoal §4 Scheduling]: a team pins each of its
// threads to one, and every thread knows its place.
#pragma once

#include <atomic>
#include <memory>
#include <type_traits>

#include "atoll/base/error.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/threads/neighbours.hpp"

namespace Atoll {

/// Where the calling thread runs.
struct CurrentPlace {
  int thread = -1;  ///< its number in the team; -1 outside of a team's run()
  NodeId node;
};
/// A team's thread is where the team pinned it, between runs too. For any other thread, say of
/// oneTBB or of the program's own, each call asks the system for the node. This takes some 10 ns,
/// and the answer holds as long as the thread isn't moved.
[[nodiscard]] CurrentPlace current_place() noexcept;

/// Thrown by work on a team that was asked to stop.
class Stopped : public Error {
 public:
  Stopped() : Error(Kind::failed, "run", "was asked to stop") {}
};

/// Pinned threads, numbered from 0, that run one function after the other.
class Team {
 public:
  enum class Runtime {
    openmp,  ///< threads of the OpenMP runtime, so that a program's own OpenMP loops reuse them
    std_threads,  ///< std::threads of the team's own
  };

  /// Pins thread i to places[i]. The calling thread is thread 0, and gets its old affinity back
  /// when it destroys the team. `pin` = false only numbers the threads and tells them their nodes:
  /// for a machine that isn't here. Throws Error (failed) if the system refuses a place, Error
  /// (input) if there are no places.
  explicit Team(ThreadPlaces places, Runtime runtime = Runtime::openmp, bool pin = true);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Expires with the team. Users that may outlive the team keep this handle.
  [[nodiscard]] std::weak_ptr<const Team> handle() const noexcept { return self_; }
  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] const ThreadPlaces& places() const noexcept;
  [[nodiscard]] const Neighbours& neighbours() const noexcept;

  /// Asks the work on this team to stop: every loop on it, running or yet to come, and every
  /// check_stop() throws Stopped, until forget_stop(). Any thread may call it, and a signal's
  /// handler.
  void request_stop() const noexcept { stop_.store(true, std::memory_order_relaxed); }
  void forget_stop() const noexcept { stop_.store(false, std::memory_order_relaxed); }
  /// Long work calls this every so often; it costs a load.
  void check_stop() const {
    if (stop_.load(std::memory_order_relaxed)) [[unlikely]]
      throw Stopped();
  }

  /// Calls body(thread) once on each thread of the team, and returns when all have returned. The
  /// first exception thrown is thrown again here. It may be called from any thread, which then is
  /// thread 0 until it returns. Throws Error (failed) if called from within a run() of any team,
  /// while another thread is in a run() of this one, or, with OpenMP threads, from within an OpenMP
  /// parallel region.
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
  std::shared_ptr<const Team> self_{this, [](const Team*) {}};  ///< owns nothing
};

}  // namespace Atoll
