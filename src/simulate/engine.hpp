// Runs a program's threads in simulated time. The thread with the lowest simulated time runs for a
// quantum.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulate/core.hpp"
#include "simulate/hierarchy.hpp"
#include "simulate/network.hpp"
#include "simulate/order.hpp"
#include "simulate/pages.hpp"
#include "simulate/program.hpp"
#include "simulate/shape.hpp"
#include "simulate/timing.hpp"
#include "simulate/waits.hpp"
#include "simulate/windows.hpp"

namespace Atoll::simulate {

/// Counts and stall time of the accesses to one object.
struct ObjectTotals {
  std::uint64_t accesses = 0;
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0, tlb_misses = 0;
  std::uint64_t memory_side_requests = 0, memory_side_misses = 0;  ///< in front of memories
  Ticks time = 0;                                                  ///< stalls of all threads
  std::uint64_t pages_of_unknown_node = 0;                         ///< as the program reports it
};

/// Result of a run. All times except `ended` cover the timed parts only.
struct EngineResult {
  Ticks elapsed = 0;
  Ticks ended = 0;  ///< when the last thread ended
  std::uint64_t accesses = 0;
  Stack stack{0};  ///< over all threads, from the start to the end of each thread
  Ticks thread_time = 0;
  std::vector<ObjectTotals> objects;
  std::vector<CamatSums> camat;  ///< by cache level
  Counts counts;
  std::uint64_t cut_waits = 0;  ///< waits that no thread could end, and that were therefore broken
  bool was_stopped = false;     ///< because Engine::Options::stops returned true
};

class Engine {
 public:
  struct Options {
    std::vector<ProgramThread> threads;
    std::vector<HardwareThread> hw_threads;  ///< indexed by ProgramThread::place
    std::size_t objects = 1;
    bool timed_from_start = true;
    Ticks quantum = 20'000;
    Windows* windows = nullptr;  ///< record parts of the run; null: none
    bool (*stops)() = nullptr;   ///< a recorded run ends if it returns true; null: never
  };
  /// All references must outlive the engine.
  Engine(const Shape& shape, const Timing& timing, Pages& pages, SimulatedProgram& program,
         Options options);

  /// Runs to the end, or until it is stopped.
  EngineResult run();
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }
  /// Hardware thread that each thread is bound to.
  [[nodiscard]] std::vector<HardwareThread> hw_threads() const;

 private:
  enum class State : std::uint8_t {
    not_begun,
    runs,
    waits,   ///< for another thread
    sleeps,  ///< only in a live program: until the thread has more ops
    ended
  };
  struct RecentPage {
    std::uint64_t number = ~std::uint64_t{0};
    Page page;
  };
  struct Running {
    Core core;
    HardwareThread hw_thread;
    std::uint32_t process = 0;
    State state = State::not_begun;
    Batch batch;
    std::size_t next_op = 0;
    std::uint64_t iteration = 0;  ///< current iteration of a loop
    std::uint32_t range = 0;      ///< next range of that iteration
    bool has_begun = false;       ///< Core::begin() of the next access is done
    bool waits_for_line = false;  ///< of an atomic operation: another core holds it
    std::uint64_t untimed = 0;    ///< untimed accesses, which advance position()
    std::vector<std::uint32_t> joiners;
    std::uint64_t turn_at = 0;         ///< value of releases_ at its last `turn` op
    std::uint64_t sleeps_for[2] = {};  ///< keys; 0: none
    bool is_called = false;            ///< the first of these keys was released
    bool is_woken = false;             ///< the op in which it waited is complete
    bool is_idle = false;  ///< a worker that has done nothing since it left a parallel region
    /// True from an op at which the thread may wait until its next op that takes time. Meanwhile it
    /// doesn't count as a sharer of its core. So it makes no difference whether the host observes
    /// the wait.
    bool is_off_core = false;
    /// Other threads may observe its last op. Its next ops that take no time belong to that op and
    /// run at once, even if another thread has a lower simulated time.
    bool runs_instant_ops = false;
    Ticks began = 0, ended = 0;
    std::vector<RecentPage> pages, huge_pages;
  };
  static constexpr std::size_t kRecentPages = 256;  ///< small ones, and as many larger ones
  /// Key for which workers of OpenMP's run-time libraries sleep between parallel regions
  /// (inside/waits/openmp.cpp).
  static constexpr std::uint64_t kIdle = 8;
  /// Second key of a thread that sleeps in such a library and may have woken others there, as it
  /// has completed data or executed a task. (The key of a thread that may execute a task is
  /// kTasks.)
  static constexpr std::uint64_t kWakesOthers = 32;
  /// Time that an untimed access takes in the order of threads.
  static constexpr Ticks kUntimedAccess = 1000;

  void begin(std::uint32_t thread, Ticks at);
  void end(std::uint32_t thread);
  void update_core_sharers(const HardwareThread& hw_thread);
  /// Resumes threads that waited.
  void wake(const std::vector<Waits::Woken>& woken);
  void wake(std::uint32_t thread, Ticks at);
  void park(std::uint32_t thread);
  void leave_core(std::uint32_t thread);
  /// Ends is_off_core, before an op that takes time.
  void rejoin_core(std::uint32_t thread);
  /// Runs an op of kind `turn`. Returns false if it isn't complete.
  bool take_turn(std::uint32_t thread, const Op& op);
  /// True if the key was released since the thread's last turn, or if that turn is too long ago to
  /// know. Needed because a thread's failed try-lock and its wait for the lock are two ops.
  [[nodiscard]] bool released_since(const Running& running, std::uint64_t key) const;
  /// Resumes `count` threads that wait for a turn after a release of that key; 0 means all.
  void resume_turn_waiters(std::uint32_t thread, std::uint64_t key, std::uint32_t count);
  /// Runs ops by which threads wait for each other. Returns false if the op isn't complete.
  bool run_wait(std::uint32_t thread, const Op& op);
  /// Breaks a deadlock: resumes one waiting thread. Returns false if no thread waits.
  bool break_deadlock();
  // Live programs, which run at the same time (engine_live.cpp).
  std::uint32_t add_thread(const ProgramThread& thread);
  /// Starts threads that have appeared, and wakes sleeping threads that have new ops. If `all`,
  /// this includes threads that an op of another thread is sure to wake. The moment at which a new
  /// op is found depends on the host.
  void poll_live_threads(Ticks now, bool all);
  /// Polls while no thread runs. Returns false if all threads have ended.
  bool poll_until_runnable();
  /// Wakes threads that sleep for the key, which `thread` may have released, if they have new ops.
  void wake_sleepers(std::uint32_t thread, std::uint64_t key);
  /// `thread` waits in the OpenMP run-time library. Wakes threads that it may have woken there, if
  /// they have new ops.
  void wake_in_runtime(std::uint32_t thread);
  [[nodiscard]] static bool is_in_runtime(const Running& sleeper) {
    return sleeper.sleeps_for[1] == kTasks || sleeper.sleeps_for[1] == kWakesOthers;
  }
  void go_to_sleep(std::uint32_t thread, std::uint64_t key, std::uint64_t other);
  void wake_up(std::uint32_t thread);
  /// Runs the ops of threads that woke up, up to the first one that takes time, before the next
  /// quantum of any thread. Threads that the host didn't see asleep have run these ops already, so
  /// both cases give the same order.
  void run_instant_ops_of_woken();
  /// Starts an OpenMP region: `op` of the thread that began it holds the number of workers that
  /// continue.
  void expect(std::uint32_t thread, const Op& op);
  void move_threads(const std::vector<LiveThreads::Move>& moves);
  /// Moves threads, with their pages, after a new thread has made the system spread them again.
  void spread_threads();
  void grow_objects();
  /// True if no running thread precedes this one in simulated time (ties: the lower number).
  [[nodiscard]] bool is_first(std::uint32_t thread) const;
  /// Fetches the thread's next batch. The thread ends if there is none, and sleeps if the batch is
  /// empty.
  void take_more(std::uint32_t thread);
  void run_quantum(std::uint32_t thread, Ticks until);
  /// Returns false if the op isn't complete, because the quantum is over or the thread waits.
  bool run_op(std::uint32_t thread, const Op& op, Ticks until);
  // Loops of ranges (engine_loops.cpp).
  /// Cache outcomes of one iteration, which the next iterations may repeat.
  struct Iteration;
  bool run_loop(std::uint32_t thread, const Op& op, Ticks until);
  /// Number of iterations, from the current one on, with the same outcomes as the one before.
  std::uint64_t count_repeats(std::uint32_t thread, std::span<const OpRange> ranges,
                              const Iteration& before);
  /// Runs `count` such iterations. Returns false if the quantum is over.
  bool repeat(std::uint32_t thread, std::span<const OpRange> ranges, const Iteration& before,
              std::uint64_t count, Ticks until);
  bool access(std::uint32_t thread, std::uint64_t address, std::uint32_t bytes,
              const Core::Access& what, Ticks until);
  void access_line(std::uint32_t thread, std::uint64_t address, const Core::Access& what);
  /// True if an atomic operation can't get its line yet; then advances the thread to the time at
  /// which it can.
  bool waits_for_line(Running& running, std::uint32_t thread, std::uint64_t address);
  // Page mapping as in Linux (engine_pages.cpp).
  const Page& page_of(std::uint32_t thread, std::uint64_t address, std::uint32_t object,
                      bool write) {
    Running& running = threads_[thread];
    const std::uint64_t huge = page_number(running.process, address, PageClass::huge);
    const RecentPage& recent_huge = running.huge_pages[huge % kRecentPages];
    if (recent_huge.number == huge && !(recent_huge.page.zero && write)) return recent_huge.page;
    const std::uint64_t number = page_number(running.process, address, PageClass::small);
    const RecentPage& recent = running.pages[number % kRecentPages];
    if (recent.number == number && !(recent.page.zero && write)) return recent.page;
    return look_up_page(thread, address, object, write);
  }
  const Page& look_up_page(std::uint32_t thread, std::uint64_t address, std::uint32_t object,
                           bool write);
  /// Maps the page if it is unmapped, or if it is a zero page and `write` is true.
  Page map_page(std::uint32_t thread, std::uint64_t address, std::uint32_t object, bool write);
  void populate(std::uint32_t thread, const Op& op);
  void discard(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  void remap(std::uint32_t thread, const Op& op);
  void move_pages();
  /// Drops the range from the recent pages of all threads of the process.
  void forget_recent(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  /// The line that an access to a zero page reads.
  [[nodiscard]] LineKey line_of_zeros(std::uint64_t address, PageClass size) const;
  [[nodiscard]] static std::uint64_t page_number(std::uint64_t process, std::uint64_t address,
                                                 PageClass size) {
    return (address & ((std::uint64_t{1} << kAddressBits) - 1)) >>
               kPageBits[static_cast<std::size_t>(size)] |
           process << 36;
  }
  [[nodiscard]] static bool takes_time(const Op& op) {
    return op.kind == Op::Kind::access || op.kind == Op::Kind::loop || op.kind == Op::Kind::work;
  }
  /// True if the batch has ops after the current one.
  [[nodiscard]] static bool has_ops(const Running& running) {
    return running.next_op + 1 < running.batch.ops.size();
  }
  [[nodiscard]] Ticks position(const Running& running) const;
  void set_timed(bool timed, Ticks at);
  /// Rebuilds order_ from the positions of all threads.
  void sort();

  const Timing* timing_;
  Shape shape_;
  Pages* pages_;
  SimulatedProgram* program_;
  Options options_;
  Hierarchy hierarchy_;
  Network network_;
  std::deque<Running> threads_;
  Order order_;                ///< of the running threads
  bool order_changed_ = true;  ///< other than by the progress of the first thread
  std::vector<Ticks> positions_;
  std::size_t sleepers_ = 0, line_waiters_ = 0;
  std::vector<std::uint32_t> woken_up_;  ///< sleepers that woke up since the last quantum
  LiveThreads* live_;
  bool timed_;
  Ticks timed_since_ = 0, elapsed_ = 0;
  Counts counts_, counts_before_;  ///< of the finished timed parts; at the start of the current one
  Ticks reached_by_all_ = 0;  ///< all running threads have reached it, except threads that slept
  std::uint64_t accesses_ = 0;
  std::vector<ObjectTotals> objects_;
  Waits waits_;
  Waits regions_;  ///< releases that start regions, at the time at which their workers are expected
  /// Threads that wait for a turn after a release, by process and key, in the order of arrival.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::deque<std::uint32_t>> turn_waits_;
  std::uint64_t releases_ = 0;  ///< number of releases so far, of all keys
  /// Ring of the last releases, by process and key: release n is at n modulo the size.
  std::array<std::pair<std::uint32_t, std::uint64_t>, 1024> recent_releases_{};
  std::uint64_t cut_waits_ = 0;
  Outcome outcome_;
  /// Outcome of the last line access.
  struct Met {
    LineKey line;
    std::uint64_t page;
    std::uint32_t object;
    PageClass size;
    Hierarchy::Hit hit;
    bool walked;  ///< with a page walk or a page fault
  };
  Met met_{};
  bool did_fault_ = false;                                   ///< in the last line access
  std::array<Core::Repeated, Core::kMaxRepeated> repeated_;  ///< scratch space of repeat()
  std::vector<SideTraffic> side_;
};

}  // namespace Atoll::simulate
