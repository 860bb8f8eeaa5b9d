// Decisions of the scheduler that differ between a recorded program and a live one, which runs at
// the same time as the simulation: when threads appear and sleep, and who waits for a turn. A
// recorded program needs none of them; LiveCoordinator makes them for a live one.
#pragma once

#include <cstdint>
#include <optional>

#include "simulate/program.hpp"
#include "simulate/ticks.hpp"
#include "simulate/waits.hpp"

namespace Atoll::simulate {

class Coordinator {
 public:
  virtual ~Coordinator() = default;

  /// Called before each quantum; all running threads have reached the position `reached`. Starts
  /// and wakes threads. Returns false if the run ends here.
  virtual bool prepare_quantum(Ticks reached) = 0;
  /// Called if no thread runs. Returns true if some thread runs now.
  virtual bool wait_until_some_run(Ticks reached) = 0;

  // A thread executes a record.
  /// Starts the thread that this event creates.
  virtual void create(std::uint32_t thread, const recording::StreamEvent& event) = 0;
  /// The thread that this event joins; empty if unknown.
  virtual std::optional<std::uint32_t> joined(std::uint32_t thread,
                                              const recording::StreamEvent& event) = 0;
  /// Executes a wait of a kind that only matters in live programs: `turn`, `expects` or `asleep`.
  /// Returns false if it isn't complete.
  virtual bool run(std::uint32_t thread, const recording::StreamWait& wait) = 0;
  /// Executes a call that binds a thread to processing units.
  virtual void bind(std::uint32_t thread, const recording::StreamPlacement& call) = 0;
  /// Releases among which the thread waits for one.
  virtual Waits& releases_for(std::uint32_t thread, Waits& releases) = 0;

  // Notifications.
  /// The thread has no record, though it hasn't ended.
  virtual void ran_dry(std::uint32_t thread) = 0;
  /// The thread is about to execute a record that takes time.
  virtual void takes_time(std::uint32_t thread) = 0;
  /// The program has executed an event or a call of the thread, which may have moved pages.
  virtual void executed(std::uint32_t thread) = 0;
  /// The thread has released `key`, for `count` threads that wait for a turn; 0 means all.
  virtual void released(std::uint32_t thread, std::uint64_t key, std::uint32_t count) = 0;
  /// The thread has arrived at the barrier `key`.
  virtual void arrived(std::uint32_t thread, std::uint64_t key) = 0;
  virtual void ended(std::uint32_t thread) = 0;
  /// The thread's wait was cut.
  virtual void forget(std::uint32_t thread) = 0;
  /// Limits the times of all past events to `at`, when a timed part starts.
  virtual void limit(Ticks at) = 0;
};

}  // namespace Atoll::simulate
