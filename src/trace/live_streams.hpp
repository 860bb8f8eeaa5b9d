// The streams of a program that runs, for one who takes each thread's words when he wants them: a
// thread whose words nobody takes waits. Numbers are those in which threads begin.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/region_view.hpp"
#include "trace/shared_region.hpp"
#include "trace/touched_pages.hpp"

namespace Atoll::trace {

class LiveStreams {
 public:
  /// What a thread does that has no words.
  enum class State {
    runs,    ///< it will have some, or sleep
    sleeps,  ///< the kernel says so
    ended,
  };
  struct About {
    recorder::Offset process = 0;
    int pid = 0, tid = 0;
    std::uint64_t number = 0;  ///< its pthread_t
    bool is_first = false;     ///< of its process
  };

  /// The region must outlive this.
  explicit LiveStreams(const Region& region);
  ~LiveStreams();
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  /// How many threads have begun.
  [[nodiscard]] std::uint32_t count();
  [[nodiscard]] About about(std::uint32_t stream) const;
  [[nodiscard]] bool has_words(std::uint32_t stream) const;
  /// True if the thread waits until some are taken, or for its turn.
  [[nodiscard]] bool is_held(std::uint32_t stream) const;
  /// Takes all words of the stream that there are now; false: none.
  bool take(std::uint32_t stream, std::vector<std::uint64_t>& words);
  [[nodiscard]] State state(std::uint32_t stream) const;
  /// True if a thread of the program's runs that isn't held, even one that has told nothing yet, or
  /// has told its end. Others may wait for it: who creates a thread in the emulator sleeps until
  /// that has begun.
  [[nodiscard]] bool some_run() const;
  /// True if none of the program's threads runs before the simulation lets one go on: each is held,
  /// or waits by a futex for another one.
  [[nodiscard]] bool all_wait() const;
  /// True if the kernel has no such thread any more.
  [[nodiscard]] bool is_gone(std::uint32_t stream) const;
  /// True while the thread waits in a way that its stream tells (recorder/waits.hpp).
  [[nodiscard]] bool is_asleep(std::uint32_t stream) const;
  /// If it waits so, how often it has looked whether it may go on; 0: it doesn't wait in a loop.
  [[nodiscard]] std::uint32_t looks(std::uint32_t stream) const;
  /// True while it is blocked in a futex wait: without a time limit, unless it waits in a loop.
  [[nodiscard]] bool is_blocked(std::uint32_t stream) const;
  /// The thread goes on, which waits for its turn (recorder/waits.hpp).
  void give_turn(std::uint32_t stream);
  /// True if it has done what it had its turn for, or wants the next one.
  [[nodiscard]] bool is_turn_over(std::uint32_t stream) const;
  /// The processor time that the thread's process has had, in nanoseconds; 0: nobody knows.
  [[nodiscard]] std::uint64_t processor_ns(std::uint32_t stream) const;
  /// The same of the thread alone.
  [[nodiscard]] std::uint64_t thread_ns(std::uint32_t stream) const;
  /// How often the thread has given its processor away, to know whether it slept all the time.
  [[nodiscard]] std::uint64_t switches(std::uint32_t stream) const;

  /// The thread that event `number` of that process has created.
  struct Created {
    bool was_refused = false;
    std::uint32_t site = 0;               ///< where; 0: unknown
    std::optional<std::uint32_t> stream;  ///< nothing: it hasn't begun yet
  };
  [[nodiscard]] Created created(recorder::Offset process, std::uint64_t number);
  /// True if some thread is known to have created it.
  [[nodiscard]] bool was_created(std::uint32_t stream) const;
  /// An event of that thread, with its payload; null if there is none of that number.
  [[nodiscard]] const recorder::Event* event(std::uint32_t stream, std::uint64_t number);
  /// What that process has told of a call stack by its number: SiteSeen, its addresses. Null:
  /// nothing.
  [[nodiscard]] const recorder::Event* site(recorder::Offset process, std::uint32_t number);
  /// ModuleLoaded of the process so far, in the order of each of its threads.
  [[nodiscard]] const std::vector<const recorder::Event*>& modules(recorder::Offset process);
  /// EventKind::described of the process so far, in the order of each of its threads.
  [[nodiscard]] const std::vector<const recorder::Event*>& described(recorder::Offset process);
  /// The process that it was forked from, or was before it executed a program; 0: the first.
  [[nodiscard]] recorder::Offset parent(recorder::Offset process) const;

  /// The program has ended: who has no words has ended, too. `stopped`: somebody stopped it, so
  /// nobody waits for the words that are left.
  void program_ended(bool stopped) {
    if (stopped) stopped_.store(true, std::memory_order_release);
    ended_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool was_stopped() const { return stopped_.load(std::memory_order_acquire); }
  [[nodiscard]] bool has_ended() const { return ended_.load(std::memory_order_acquire); }
  [[nodiscard]] StreamedPages pages() const { return touched_.take(); }

 private:
  struct Thread {
    const recorder::ThreadRecord* record;
    recorder::Offset last_event = 0;  ///< those up to it are in `events`
    std::unordered_map<std::uint64_t, const recorder::Event*> events;
    mutable int stat = -1;  ///< the kernel's file of that name, as it is read often
  };
  /// True if the process has executed a program, which is a process of its own here. (A process
  /// tells of its end before its last accesses.)
  [[nodiscard]] bool is_another_program(recorder::Offset process) const;
  void index(std::uint32_t stream);
  void index_all();
  [[nodiscard]] const recorder::Ring* ring_of(std::uint32_t stream) const;
  [[nodiscard]] std::string kernel_file(std::uint32_t stream, const char* name) const;
  /// Looks at the threads that are not held. False if one of them may run without the simulation.
  /// `seen` gets how often each was scheduled, `spinners` those that wait in loops.
  bool look_whether_all_wait(std::vector<std::uint64_t>& seen,
                             std::vector<std::uint32_t>& spinners) const;
  /// Waits until each of them has looked twice, or is blocked. False: one has gone on, or has no
  /// processor.
  [[nodiscard]] bool all_look_twice(const std::vector<std::uint32_t>& spinners) const;
  /// The letter for what the thread does; 0: there is no such thread.
  [[nodiscard]] char kernel_state(std::uint32_t stream) const;

  const Region& region_;
  RegionView view_;
  std::vector<Thread> threads_;
  recorder::Offset newest_ = 0;
  std::map<std::pair<recorder::Offset, std::uint32_t>, const recorder::Event*> sites_;
  std::map<recorder::Offset, std::vector<const recorder::Event*>> modules_, described_;
  std::atomic<bool> ended_{false}, stopped_{false};
  TouchedPages touched_;
};

/// What takes the streams of a program, in a thread of its own.
class LiveRun {
 public:
  virtual ~LiveRun() = default;
  // Known when run() is called:
  StreamContents contents;          ///< what the front end tells
  bool sees_all_libraries = false;  ///< the front end sees what all libraries do
  /// Returns when all streams have ended. If it throws, the program goes on unwatched.
  virtual void run(LiveStreams& streams) = 0;
  /// Then everything is known. `processes`: the recording's, by their place in the region.
  virtual void finish(const Recording& recording,
                      const std::unordered_map<recorder::Offset, std::uint32_t>& processes) = 0;
};

}  // namespace Atoll::trace
