// The coordinator of a live program: threads appear and sleep as they do in the program. A thread
// that sleeps in real time does nothing in simulated time. When a record may have woken threads,
// the coordinator waits at once until it is known whether they continue. Therefore the order
// doesn't depend on the speed of the program.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "simulate/coordinator.hpp"
#include "simulate/scheduler.hpp"

namespace Atoll::simulate {

class LiveCoordinator final : public Coordinator {
 public:
  /// All references must outlive this object.
  LiveCoordinator(Scheduler& scheduler, Executor& executor, LiveThreads& live,
                  std::atomic<Ticks>* reached)
      : scheduler_(scheduler), executor_(executor), live_(live), reached_(reached) {}

  bool prepare_quantum(Ticks reached) override;
  bool wait_until_some_run(Ticks reached) override;
  void create(std::uint32_t thread, const recording::StreamEvent& event) override;
  std::optional<std::uint32_t> joined(std::uint32_t thread,
                                      const recording::StreamEvent& event) override {
    return live_.joined(thread, event.number);
  }
  bool run(std::uint32_t thread, const recording::StreamWait& wait) override;
  void bind(std::uint32_t thread, const recording::StreamPlacement& call) override {
    move_threads(live_.bind(thread, call));
  }
  /// A worker continues when its region expects it, whether or not the host has seen it asleep.
  Waits& releases_for(std::uint32_t thread, Waits& releases) override {
    return std::exchange(its(thread).is_idle, false) ? regions_ : releases;
  }
  void ran_dry(std::uint32_t thread) override { go_to_sleep(thread, 0, 0); }
  void takes_time(std::uint32_t thread) override { its(thread).is_idle = false; }
  void executed(std::uint32_t /*thread*/) override { move_pages(); }
  void released(std::uint32_t thread, std::uint64_t key, std::uint32_t count) override;
  /// A thread that has passed the barrier has seen all others arrive, so these continue.
  void arrived(std::uint32_t thread, std::uint64_t key) override { wake_sleepers(thread, key); }
  void ended(std::uint32_t thread) override;
  void forget(std::uint32_t thread) override;
  void limit(Ticks at) override { regions_.limit(at); }

 private:
  using State = Scheduler::State;
  struct Thread {
    std::uint64_t turn_at = 0;         ///< value of releases_ at its last turn
    std::uint64_t sleeps_for[2] = {};  ///< keys; 0: none
    bool is_called = false;            ///< the first of these keys was released
    bool is_idle = false;  ///< a worker that has done nothing since it left a parallel region

    [[nodiscard]] bool is_in_runtime() const {
      return sleeps_for[1] == kTasks || sleeps_for[1] == kWakesOthers;
    }
  };
  /// Key for which workers of OpenMP's run-time libraries sleep between parallel regions
  /// (inside/waits/openmp.cpp).
  static constexpr std::uint64_t kIdle = 8;
  /// Key with which the thread that began an OpenMP region waits for its end, after all other
  /// threads have arrived.
  static constexpr std::uint64_t kRegionEnds = 16;
  /// Second key of a thread that sleeps in such a library and may have woken others there, as it
  /// has completed data or executed a task. (The key of a thread that may execute a task is
  /// kTasks.)
  static constexpr std::uint64_t kWakesOthers = 32;

  Thread& its(std::uint32_t thread);
  [[nodiscard]] bool sleeps(std::uint32_t thread) const {
    return scheduler_.state(thread) == State::sleeps;
  }
  std::uint32_t add_thread(const ProgramThread& thread);
  void move_threads(const std::vector<LiveThreads::Move>& moves);
  void move_pages();
  void go_to_sleep(std::uint32_t thread, std::uint64_t key, std::uint64_t other);
  void wake_up(std::uint32_t thread);
  /// Starts threads that have appeared, and wakes sleeping threads that have new records. If `all`,
  /// this includes threads that a record of another thread is sure to wake. The moment at which a
  /// new record is found depends on the host.
  void poll(Ticks now, bool all);
  /// Executes the records of threads that woke up, up to the first one that takes time, before the
  /// next quantum of any thread. Threads that the host didn't see asleep have executed these
  /// records already, so both cases give the same order.
  void run_instant_records_of_woken();
  /// Wakes threads that sleep for the key, which `thread` may have released, if they have new
  /// records.
  void wake_sleepers(std::uint32_t thread, std::uint64_t key);
  /// `thread` waits in the OpenMP run-time library. Wakes threads that it may have woken there, if
  /// they have new records.
  void wake_in_runtime(std::uint32_t thread);
  /// Starts an OpenMP region: the record of the thread that began it holds the number of workers
  /// that continue.
  void expect_workers(std::uint32_t thread, const recording::StreamWait& expects);
  /// The thread may sleep until its next record.
  void may_sleep(std::uint32_t thread, const recording::StreamWait& asleep);
  /// Returns false if the thread doesn't have its turn yet.
  bool take_turn(std::uint32_t thread, const recording::StreamWait& turn);
  /// True if the key was released since the thread's last turn, or if that turn is too long ago to
  /// know. Needed because a thread's failed try-lock and its wait for the lock are two records.
  [[nodiscard]] bool released_since_turn(std::uint32_t thread, std::uint64_t key);
  /// Resumes `count` threads that wait for a turn after a release of that key; 0 means all.
  void resume_turn_waiters(std::uint32_t thread, std::uint64_t key, std::uint32_t count);

  Scheduler& scheduler_;
  Executor& executor_;
  LiveThreads& live_;
  std::atomic<Ticks>* reached_;  ///< for other threads; null: not needed
  std::deque<Thread> threads_;
  std::size_t sleepers_ = 0;
  std::uint64_t quanta_ = 0;
  std::vector<std::uint32_t> woken_up_;  ///< sleepers that woke up since the last quantum
  Waits regions_;  ///< releases that start regions, at the time at which their workers are expected
  /// Threads that wait for a turn after a release, by process and key, in the order of arrival.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::deque<std::uint32_t>> turn_waits_;
  std::uint64_t releases_ = 0;  ///< number of releases so far, of all keys
  /// Ring of the last releases, by process and key: release n is at n modulo the size.
  std::array<std::pair<std::uint32_t, std::uint64_t>, 1024> recent_releases_{};
};

}  // namespace Atoll::simulate
