// Executes the records of threads, each on its core: looks up accesses in the page mapping and the
// caches, times them, and counts them by object. It knows nothing of the order of threads; the
// scheduler tells it which thread runs, and until when. CoreExecutor implements run() for a core
// model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/core_model.hpp"
#include "simulate/engine_result.hpp"
#include "simulate/hierarchy.hpp"
#include "simulate/network.hpp"
#include "simulate/page_mapping.hpp"
#include "simulate/pages.hpp"
#include "simulate/program.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"
#include "simulate/windows.hpp"

namespace Atoll::simulate {

class Executor {
 public:
  /// Parts of a run that all threads share. All references must outlive the executor.
  struct Parts {
    const Shape& shape;
    const Timing& timing;
    Pages& pages;
    SimulatedProgram& program;
    Windows* windows;  ///< record parts of the run; null: none
    bool timed_from_start;
  };
  explicit Executor(const Parts& parts);
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Threads are numbered from 0 in the order of add_thread().
  std::uint32_t add_thread(std::uint32_t process, const HardwareThread& hw_thread);
  [[nodiscard]] std::uint32_t threads() const {
    return static_cast<std::uint32_t>(threads_.size());
  }
  [[nodiscard]] std::uint32_t process_of(std::uint32_t thread) const {
    return threads_[thread].process;
  }
  [[nodiscard]] const HardwareThread& hw_thread_of(std::uint32_t thread) const {
    return threads_[thread].hw_thread;
  }
  /// The thread continues on another hardware thread.
  void move_thread(std::uint32_t thread, const HardwareThread& hw_thread);
  /// Later windows are sized for `threads` running threads.
  void expect_threads(std::size_t threads);
  [[nodiscard]] CoreModel& core(std::uint32_t thread) { return *threads_[thread].core; }
  [[nodiscard]] const CoreModel& core(std::uint32_t thread) const { return *threads_[thread].core; }

  // Simulated time. Untimed accesses take no time on a core, but a fixed one in the order of
  // threads.
  /// Position of the thread in that order.
  [[nodiscard]] Ticks position(std::uint32_t thread) const { return threads_[thread].position(); }
  /// Sets the position of a thread that hasn't executed anything.
  void start_at(std::uint32_t thread, Ticks at) { threads_[thread].core->start_at(at); }
  /// Advances the position of a waiting thread to `at`.
  void wait_until(std::uint32_t thread, Ticks at);
  /// Lets all accesses of the thread complete.
  void drain(std::uint32_t thread) {
    if (is_timed_) threads_[thread].core->drain();
  }
  /// Advances the position by as many untimed accesses as `like` has executed, or as take `ticks`.
  void add_untimed_of(std::uint32_t thread, std::uint32_t like) {
    threads_[thread].untimed = threads_[like].untimed;
  }
  void add_untimed(std::uint32_t thread, Ticks ticks) {
    threads_[thread].untimed = static_cast<std::uint64_t>(ticks / kUntimedAccess);
  }
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  /// Starts a timed part at the time of the calling thread, to which all threads advance.
  void begin_timed(Ticks at);
  void end_timed(Ticks at);

  // Records.
  /// Fetches the thread's next batch. Returns false if the thread has ended.
  bool fetch(std::uint32_t thread);
  [[nodiscard]] const Batch& batch(std::uint32_t thread) const { return threads_[thread].batch; }
  /// The current step of that batch; null if the batch is used up.
  [[nodiscard]] const Batch::Step* current(std::uint32_t thread) const {
    const Thread& its = threads_[thread];
    return its.step < its.batch.steps().size() ? &its.batch.steps()[its.step] : nullptr;
  }
  /// True if the batch has steps after the current one.
  [[nodiscard]] bool has_more(std::uint32_t thread) const {
    return threads_[thread].step + 1 < threads_[thread].batch.steps().size();
  }
  /// Completes the current step, which the caller has executed.
  void advance(std::uint32_t thread) { ++threads_[thread].step; }
  /// Executes the steps from the current one on that take time, while the thread's position is
  /// before `until` and it waits for no line.
  virtual void run(std::uint32_t thread, Ticks until) = 0;
  /// True if an atomic operation of the thread waits for a line that another core holds. The thread
  /// is at the time at which it can get the line.
  [[nodiscard]] bool waits_for_line(std::uint32_t thread) const {
    return threads_[thread].waits_for_line;
  }
  [[nodiscard]] bool some_wait_for_lines() const { return line_waiters_ > 0; }
  /// Lets the thread try again.
  void stop_waiting_for_line(std::uint32_t thread);

  // Memory.
  void populate(std::uint32_t thread, std::uint64_t address, std::uint64_t bytes, bool write);
  [[nodiscard]] PageMapping& pages() { return mapping_; }
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }

  /// Ends the run. Returns its result, without the members that the scheduler knows.
  [[nodiscard]] EngineResult finish();

 protected:
  /// Time that an untimed access takes in the order of threads.
  static constexpr Ticks kUntimedAccess = 1000;

  struct Thread {
    CoreModel* core = nullptr;
    PageMapping::Thread* pages = nullptr;
    HardwareThread hw_thread;
    std::uint32_t process = 0;
    Batch batch;
    std::size_t step = 0;            ///< current one of the batch
    std::size_t styles_defined = 0;  ///< number of the batch's definitions that are in `styles`
    std::array<record::AccessStyle, record::kAccessStyles> styles{};
    std::uint32_t access = 0;     ///< next access of the current step
    std::uint64_t iteration = 0;  ///< current iteration of a loop
    std::uint32_t range = 0;      ///< next range of that iteration
    bool has_begun = false;       ///< CoreModel::begin() of the next access is done
    bool waits_for_line = false;
    std::uint64_t untimed = 0;  ///< untimed accesses, which advance position()

    [[nodiscard]] Ticks position() const {
      return core->now() + static_cast<Ticks>(untimed) * kUntimedAccess;
    }
  };

  /// Applies the batch's first `count` definitions of styles.
  static void define_styles(Thread& thread, std::size_t count);
  /// Creates the core of the next thread.
  virtual CoreModel& add_core(std::uint32_t node, std::size_t objects) = 0;
  /// Number of the object of an access, below objects_.size().
  [[nodiscard]] std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) {
    const std::uint32_t object = program_->object_of(thread, address);
    if (object >= objects_.size()) [[unlikely]]
      grow_objects();
    return object;
  }
  void grow_objects();
  /// Accounts for a page fault.
  void fault(std::uint32_t thread, const PageMapping::Mapped& mapped, std::uint32_t object);
  /// Makes the thread wait for a line until that time.
  void wait_for_line(std::uint32_t thread, Ticks until, std::uint32_t object);
  /// Counts an access with that outcome for the object.
  static void count_misses(ObjectTotals& object, const Outcome& outcome);

  const Shape& shape_;
  const Timing& timing_;
  SimulatedProgram* program_;
  Windows* windows_;
  Hierarchy hierarchy_;
  Network network_;
  PageMapping mapping_;
  std::deque<Thread> threads_;
  bool is_timed_;
  std::uint64_t accesses_ = 0;
  std::vector<ObjectTotals> objects_;

 private:
  std::size_t line_waiters_ = 0;
  Ticks timed_since_ = 0, elapsed_ = 0;
  Counts counts_, counts_before_;  ///< of the finished timed parts; at the start of the current one
};

}  // namespace Atoll::simulate
