// Decides which thread runs next: in simulated time, the one with the lowest position, for a
// quantum. Executes the records by which threads start, end and wait for each other. The executor
// executes all others; the coordinator decides what depends on a live program.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "simulate/coordinator.hpp"
#include "simulate/executor.hpp"
#include "simulate/order.hpp"
#include "simulate/program.hpp"
#include "simulate/waits.hpp"

namespace Atoll::simulate {

class Scheduler {
 public:
  enum class State : std::uint8_t {
    not_begun,
    runs,
    waits,   ///< for another thread
    sleeps,  ///< only in a live program: until the thread has more records
    ended
  };
  /// `hw_threads`: by ProgramThread::place. All references must outlive the scheduler.
  Scheduler(Executor& executor, SimulatedProgram& program, std::vector<HardwareThread> hw_threads,
            Ticks quantum);

  // Threads.
  std::uint32_t add_thread(const ProgramThread& thread);
  /// Starts a thread, unless it has begun.
  void begin(std::uint32_t thread, Ticks at);
  /// Moves a thread to another place.
  void move(std::uint32_t thread, std::uint32_t place);
  [[nodiscard]] std::uint32_t threads() const { return executor_->threads(); }
  [[nodiscard]] State state(std::uint32_t thread) const { return threads_[thread].state; }
  [[nodiscard]] bool some_are(State state) const;
  /// True if no running thread precedes this one in simulated time (ties: the lower number).
  [[nodiscard]] bool is_first(std::uint32_t thread) const;

  /// Runs to the end, or until the coordinator ends the run. Returns false in the latter case.
  bool run(Coordinator& coordinator);
  /// Number of waits that no thread could end, and that were therefore broken.
  [[nodiscard]] std::uint64_t cut_waits() const { return cut_waits_; }

  // For the coordinator, during run().
  /// The thread waits from its current record on, until wake().
  void park(std::uint32_t thread);
  /// Resumes a thread that waits, no earlier than `at`; advances others to `at`.
  void wake(std::uint32_t thread, Ticks at);
  void wake(const std::vector<Waits::Woken>& woken);
  /// True after the thread was resumed from a wait, until take_woken(): the record in which it
  /// waited is complete.
  [[nodiscard]] bool is_woken(std::uint32_t thread) const { return threads_[thread].is_woken; }
  bool take_woken(std::uint32_t thread) { return std::exchange(threads_[thread].is_woken, false); }
  /// The thread sleeps, until wake_up().
  void sleep(std::uint32_t thread);
  void wake_up(std::uint32_t thread);
  /// The thread may wait from here until its next record that takes time. Meanwhile it doesn't
  /// count as a sharer of its core. So it makes no difference whether the host observes the wait.
  void leave_core(std::uint32_t thread);
  /// Other threads may observe the thread's current record. Its next records that take no time
  /// belong to that record and run at once, even if another thread has a lower simulated time.
  void let_instant_records_follow(std::uint32_t thread) {
    threads_[thread].runs_instant_records = true;
  }
  /// Executes the thread's records up to the first one that takes time or is a turn.
  void run_instant_records(std::uint32_t thread);

 private:
  struct Thread {
    State state = State::not_begun;
    std::vector<std::uint32_t> joiners;
    Ticks ended = 0;
    bool is_woken = false;
    bool is_off_core = false;           ///< see leave_core()
    bool runs_instant_records = false;  ///< see let_instant_records_follow()
  };

  void end(std::uint32_t thread);
  void update_core_sharers(const HardwareThread& hw_thread);
  /// Ends leave_core(), before a record that takes time.
  void rejoin_core(std::uint32_t thread);
  /// Fetches the thread's next batch. The thread ends if there is none.
  void fetch(std::uint32_t thread);
  void run_quantum(std::uint32_t thread, Ticks until);
  /// Executes a step that takes no time. Returns false if it isn't complete.
  bool run_step(std::uint32_t thread, const Batch::Step& step);
  bool run_event(std::uint32_t thread, const recording::StreamEvent& event);
  void run_call(std::uint32_t thread, const recording::StreamPlacement& call);
  [[nodiscard]] bool is_turn(std::uint32_t thread, const Batch::Step& step) const;
  void set_timed(bool timed, Ticks at);
  /// Breaks a deadlock: resumes one waiting thread. Returns false if no thread waits.
  bool break_deadlock();
  /// Rebuilds order_ from the positions of all threads.
  void sort();
  // Waits (scheduler_waits.cpp).
  /// Executes a record by which threads wait for each other. Returns false if it isn't complete.
  bool run_wait(std::uint32_t thread, const recording::StreamWait& wait);
  /// Ends a wait at that time; the thread waits on if it is empty. Returns true if it has ended.
  bool continue_at(std::uint32_t thread, std::optional<Ticks> at);
  bool join(std::uint32_t thread, const recording::StreamEvent& event);

  Executor* executor_;
  SimulatedProgram* program_;
  std::vector<HardwareThread> hw_threads_;
  Ticks quantum_;
  Coordinator* coordinator_ = nullptr;  ///< during run()
  std::deque<Thread> threads_;
  Order order_;                ///< of the running threads
  bool order_changed_ = true;  ///< other than by the progress of the first thread
  std::vector<Ticks> positions_;
  Waits waits_;
  std::uint64_t cut_waits_ = 0;
};

}  // namespace Atoll::simulate
