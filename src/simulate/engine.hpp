// Runs a program's threads in simulated time: the thread that is furthest behind goes on, for a
// turn.
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

/// What one object's accesses met.
struct ObjectTotals {
  std::uint64_t accesses = 0;
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0, tlb_misses = 0;
  std::uint64_t memory_side_requests = 0, memory_side_misses = 0;  ///< in front of memories
  Ticks time = 0;                                                  ///< threads' stalls
  std::uint64_t pages_of_unknown_node = 0;                         ///< as the program knows it
};

/// What has come out; times are of the timed parts alone.
struct EngineResult {
  Ticks elapsed = 0;
  Ticks ended = 0;  ///< when the last thread did
  std::uint64_t accesses = 0;
  Stack stack{0};  ///< over all threads, from each one's begin to its end
  Ticks thread_time = 0;
  std::vector<ObjectTotals> objects;
  std::vector<CamatSums> camat;  ///< by level
  Counts counts;
  std::uint64_t cut_waits = 0;  ///< that were ended as nobody was left to end them
  bool was_stopped = false;     ///< by Engine::Options::stops
};

class Engine {
 public:
  struct Options {
    std::vector<ProgramThread> threads;
    std::vector<Seat> seats;  ///< by ProgramThread::place
    std::size_t objects = 1;
    bool timed_from_start = true;
    Ticks turn = 20'000;
    Windows* windows = nullptr;  ///< that note some of the run; null: none
    bool (*stops)() = nullptr;   ///< true: a recorded run ends here. Null: it runs to its end
  };
  /// All must outlive this.
  Engine(const Shape& shape, const Timing& timing, Pages& pages, Program& program, Options options);

  /// Runs to the end, or until it is stopped.
  EngineResult run();
  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }
  /// Where threads stand, by thread.
  [[nodiscard]] std::vector<Seat> seats() const;

 private:
  enum class State : std::uint8_t {
    not_begun,
    runs,
    waits,   ///< for what another thread does
    sleeps,  ///< of a program that runs: until it does more
    ended
  };
  struct RecentPage {
    std::uint64_t number = ~std::uint64_t{0};
    Page page;
  };
  struct Running {
    Core core;
    Seat seat;
    std::uint32_t process = 0;
    State state = State::not_begun;
    Batch batch;
    std::size_t next_op = 0;
    std::uint64_t iteration = 0;  ///< of a loop that has begun
    std::uint32_t range = 0;      ///< of that iteration
    bool has_begun = false;       ///< an access, which others' accesses come before
    bool waits_for_line = false;  ///< that another core keeps, for an atomic operation
    std::uint64_t untimed = 0;    ///< accesses, which take its turns where time doesn't count
    std::vector<std::uint32_t> joiners;
    std::uint64_t turn_at = 0;         ///< so many releases came before its last turn
    std::uint64_t sleeps_for[2] = {};  ///< keys; 0: none
    bool is_called = false;            ///< the first of them was released
    bool is_woken = false;             ///< the op it waited in is done
    bool is_idle = false;              ///< a worker that has done nothing since it left a region
    /// From where it may wait until it does something that takes time, it shares its core with
    /// nobody: when the host sees whether it does wait makes no difference.
    bool is_away = false;
    /// What it did last, others may see: its next ops that take no time belong to that, whoever
    /// else is further behind.
    bool goes_on = false;
    Ticks began = 0, ended = 0;
    std::vector<RecentPage> pages, huge_pages;
  };
  static constexpr std::size_t kRecentPages = 256;  ///< of 4 KiB, and as many of 2 MiB or more
  /// Workers of OpenMP's run-time libraries sleep for this between regions
  /// (inside/waits/openmp.cpp).
  static constexpr std::uint64_t kIdle = 8;
  /// Second key of a thread that sleeps in such a library, and may have woken others there: it has
  /// completed data or executed a task. (The key of one that may execute a task is kTasks.)
  static constexpr std::uint64_t kWakesOthers = 32;
  /// Where time doesn't count, an access takes so long in the order of turns alone.
  static constexpr Ticks kUntimedAccess = 1000;

  void begin(std::uint32_t thread, Ticks at);
  void end(std::uint32_t thread);
  void company_changed(const Seat& seat);
  /// Threads that waited go on.
  void wake(const std::vector<Waits::Woken>& woken);
  void wake(std::uint32_t thread, Ticks at);
  void park(std::uint32_t thread);
  void go_away(std::uint32_t thread);
  /// Before it does something that takes time.
  void come_back(std::uint32_t thread);
  /// As run_op.
  bool take_turn(std::uint32_t thread, const Op& op);
  /// True if the key was released since the thread's last turn, or may have been, as that is long
  /// ago. A thread that tried a lock in vain says a little later that it waits for it.
  [[nodiscard]] bool released_since(const Running& running, std::uint64_t key) const;
  /// Of those that wait for a turn behind a release of that key, as many go on; 0: all.
  void let_go_on(std::uint32_t thread, std::uint64_t key, std::uint32_t count);
  /// Ops by which threads wait for each other; as run_op.
  bool run_wait(std::uint32_t thread, const Op& op);
  /// Nobody can go on: one that waits does so nevertheless. False: nobody waits.
  bool free_one();
  // Of a program that runs meanwhile (engine_live.cpp).
  std::uint32_t add_thread(const ProgramThread& thread);
  /// Begins threads that have appeared, and wakes those that have done more. `all`: also those that
  /// others are sure to wake, at an op that tells so. When these are seen to go on depends on the
  /// host.
  void look_at_live(Ticks now, bool all);
  /// Nobody runs. False: all threads have ended.
  bool wait_for_live();
  /// The thread may have let others go on that sleep for the key: they run if they do more.
  void wake_sleepers(std::uint32_t thread, std::uint64_t key);
  /// The thread waits in the run-time library: those that it may have woken there run if they do
  /// more.
  void wake_in_runtime(std::uint32_t thread);
  [[nodiscard]] static bool is_in_runtime(const Running& sleeper) {
    return sleeper.sleeps_for[1] == kTasks || sleeper.sleeps_for[1] == kWakesOthers;
  }
  void go_to_sleep(std::uint32_t thread, std::uint64_t key, std::uint64_t other);
  void wake_up(std::uint32_t thread);
  /// Those that woke up do what takes no time before anybody's next turn, as those do that were
  /// seen to go on when they might have slept.
  void let_woken_wait();
  /// A region has begun, and the thread that began it tells how many workers go on, from now on.
  void expect(std::uint32_t thread, const Op& op);
  void move_threads(const std::vector<LiveThreads::Move>& moves);
  /// Moves threads that a new one has made the system spread once more, with their pages.
  void spread_threads();
  void know_objects();
  /// No thread that runs is further behind: in turns, this one is the next.
  [[nodiscard]] bool is_first(std::uint32_t thread) const;
  /// Its batch is done with: the next one. It ends if there is none, and sleeps if that is empty.
  void take_more(std::uint32_t thread);
  void run_turn(std::uint32_t thread, Ticks until);
  /// Returns false if the op isn't done yet, since the turn is over or the thread waits.
  bool run_op(std::uint32_t thread, const Op& op, Ticks until);
  // A loop of ranges (engine_loops.cpp).
  /// What an iteration met, of which the next ones may be repetitions.
  struct Iteration;
  bool run_loop(std::uint32_t thread, const Op& op, Ticks until);
  /// From the present iteration on, as many as meet the same as the one before.
  std::uint64_t count_repeats(std::uint32_t thread, std::span<const OpRange> ranges,
                              const Iteration& before);
  /// Does so many of them; false if the turn is over.
  bool repeat(std::uint32_t thread, std::span<const OpRange> ranges, const Iteration& before,
              std::uint64_t count, Ticks until);
  bool access(std::uint32_t thread, std::uint64_t address, std::uint32_t bytes,
              const Core::Access& what, Ticks until);
  void access_line(std::uint32_t thread, std::uint64_t address, const Core::Access& what);
  /// True if an atomic operation can't have its line yet: the thread's time goes on to when it can.
  bool waits_for_line(Running& running, std::uint32_t thread, std::uint64_t address);
  // Pages, as Linux maps them (engine_pages.cpp).
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
  /// Maps the page if it isn't there, or is the page of zeros and to be written.
  Page map_page(std::uint32_t thread, std::uint64_t address, std::uint32_t object, bool write);
  void populate(std::uint32_t thread, const Op& op);
  void discard(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  void remap(std::uint32_t thread, const Op& op);
  void move_pages();
  /// Pages of that range are looked up anew, by all threads of the process.
  void forget_recent(std::uint32_t process, std::uint64_t begin, std::uint64_t end);
  /// The line that an access to a page of zeros reads.
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
  /// True if the batch has ops behind the present one.
  [[nodiscard]] static bool has_ops(const Running& running) {
    return running.next_op + 1 < running.batch.ops.size();
  }
  [[nodiscard]] Ticks position(const Running& running) const;
  void set_timed(bool timed, Ticks at);
  /// Asks all threads for their positions.
  void sort();

  const Timing* timing_;
  Shape shape_;
  Pages* pages_;
  Program* program_;
  Options options_;
  Hierarchy hierarchy_;
  Network network_;
  std::deque<Running> threads_;
  Order order_;                ///< of the threads that run
  bool order_changed_ = true;  ///< by more than a turn of the first thread
  std::vector<Ticks> positions_;
  std::size_t sleepers_ = 0, line_waiters_ = 0;
  std::vector<std::uint32_t> woken_up_;  ///< of those that slept, since the last turn
  LiveThreads* live_;
  bool timed_;
  Ticks timed_since_ = 0, elapsed_ = 0;
  Counts counts_, counts_before_;  ///< of the timed parts that are over; when this one began
  Ticks settled_ = 0;              ///< no thread is behind it but those that slept
  std::uint64_t accesses_ = 0;
  std::vector<ObjectTotals> objects_;
  Waits waits_;
  Waits regions_;  ///< releases by which regions begin: when those who began them expect workers
  /// Who waits for a turn behind a release, by process and key, in the order in which they came.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::deque<std::uint32_t>> turn_waits_;
  std::uint64_t releases_ = 0;  ///< of all keys, so far
  /// The last of them, by process and key: the n-th one is at n modulo their number.
  std::array<std::pair<std::uint32_t, std::uint64_t>, 1024> recent_releases_{};
  std::uint64_t cut_waits_ = 0;
  Outcome outcome_;
  /// What the last line that was accessed met.
  struct Met {
    LineKey line;
    std::uint64_t page;
    std::uint32_t object;
    PageClass size;
    Hierarchy::Hit hit;
    bool walked;  ///< a page walk, or a page fault
  };
  Met met_{};
  bool did_fault_ = false;                                    ///< the last line that was accessed
  std::array<Core::Repeated, Core::kMostRepeated> repeated_;  ///< by repeat(), during it
  std::vector<SideTraffic> side_;
};

}  // namespace Atoll::simulate
