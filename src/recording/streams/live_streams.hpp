// Streams of a running program, read on demand. A thread blocks while its ring is full. Streams are
// numbered in the order in which the threads begin.
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

#include "recording/pages/touched_pages.hpp"
#include "recording/region_view.hpp"
#include "recording/shared_region.hpp"

namespace Atoll::recording {

class LiveStreams {
 public:
  /// Activity of a thread whose ring is empty.
  enum class State {
    runs,    ///< it will write records, or block
    sleeps,  ///< it is blocked in the kernel
    ended,
  };
  struct About {
    record::Offset process = 0;
    int pid = 0, tid = 0;
    std::uint64_t number = 0;  ///< pthread_t
    bool is_first = false;     ///< main thread of its process
  };

  /// `region` must outlive this object.
  explicit LiveStreams(const Region& region);
  ~LiveStreams();
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  /// Returns the number of threads that have begun.
  [[nodiscard]] std::uint32_t count();
  [[nodiscard]] About about(std::uint32_t stream) const;
  [[nodiscard]] bool has_words(std::uint32_t stream) const;
  /// Returns true if the thread waits for room in its ring, or for its turn.
  [[nodiscard]] bool is_held(std::uint32_t stream) const;
  /// Moves all current words of the stream to `words`; returns false if there are none.
  bool take(std::uint32_t stream, std::vector<std::uint64_t>& words);
  [[nodiscard]] State state(std::uint32_t stream) const;
  /// Returns true if any thread of the program runs that is not held. Threads without records, and
  /// threads that have recorded their end, are included, as other threads may wait for them: in the
  /// emulator, the creator of a thread sleeps until the new thread has begun.
  [[nodiscard]] bool some_run() const;
  /// Returns true if no thread of the program can run until the simulation resumes one: each is
  /// held, or waits on a futex for another thread.
  [[nodiscard]] bool all_wait() const;
  /// Returns true if the kernel has no such thread any more.
  [[nodiscard]] bool is_gone(std::uint32_t stream) const;
  /// Returns true while the thread waits in a call that its stream records (recorder/waits.hpp).
  [[nodiscard]] bool is_asleep(std::uint32_t stream) const;
  /// If the thread waits in a loop, returns how often it has checked its condition; otherwise 0.
  [[nodiscard]] std::uint32_t condition_checks(std::uint32_t stream) const;
  /// Returns true while the thread is blocked in a futex wait. Waits with a timeout count only if
  /// it waits in a loop.
  [[nodiscard]] bool is_blocked(std::uint32_t stream) const;
  /// Resumes a thread that waits for its turn (recorder/waits.hpp).
  void grant_turn(std::uint32_t stream);
  /// Returns true if the thread's turn has ended, or if it requests the next one.
  [[nodiscard]] bool has_turn_ended(std::uint32_t stream) const;
  /// Returns the processor time of the thread's process, in nanoseconds; 0 if unknown.
  [[nodiscard]] std::uint64_t processor_ns(std::uint32_t stream) const;
  /// Returns the processor time of the thread, in nanoseconds; 0 if unknown.
  [[nodiscard]] std::uint64_t thread_ns(std::uint32_t stream) const;
  /// Returns the number of context switches of the thread. An unchanged number shows that it slept
  /// meanwhile.
  [[nodiscard]] std::uint64_t switches(std::uint32_t stream) const;

  /// Thread that the event `number` of a process created.
  struct Created {
    bool was_refused = false;
    std::uint32_t site = 0;               ///< site of the call; 0: unknown
    std::optional<std::uint32_t> stream;  ///< none: it has not begun yet
  };
  [[nodiscard]] Created created(record::Offset process, std::uint64_t number);
  /// Returns true if a CreationRecord of the thread exists.
  [[nodiscard]] bool was_created(std::uint32_t stream) const;
  /// Returns the event of that thread and number, with its payload, and forgets it; null if there
  /// is none.
  [[nodiscard]] const record::Event* event(std::uint32_t stream, std::uint64_t number);
  /// Returns the process's call stack with that number: SiteSeen, then its addresses; null if there
  /// is none.
  [[nodiscard]] const record::Event* site(record::Offset process, std::uint32_t number);
  /// Returns the process's ModuleLoaded events so far. Those of one thread are in order.
  [[nodiscard]] const std::vector<const record::Event*>& modules(record::Offset process);
  /// Returns the process's EventKind::described events so far. Those of one thread are in order.
  [[nodiscard]] const std::vector<const record::Event*>& described(record::Offset process);
  /// Returns the process that forked this one, or that it was before exec(); 0 for the first.
  [[nodiscard]] record::Offset parent(record::Offset process) const;

  /// Records that the program has ended: a thread with an empty ring has ended, too. If `stopped`,
  /// a signal from outside ended the program, and the words that are left are not simulated.
  void program_ended(bool stopped) {
    if (stopped) stopped_.store(true, std::memory_order_release);
    ended_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool was_stopped() const { return stopped_.load(std::memory_order_acquire); }
  [[nodiscard]] bool has_ended() const { return ended_.load(std::memory_order_acquire); }
  [[nodiscard]] StreamedPages pages() const { return touched_.take(); }

 private:
  struct Thread {
    const record::ThreadRecord* record;
    record::Offset last_event = 0;  ///< `events` has the events up to this one
    std::unordered_map<std::uint64_t, const record::Event*> events;
    mutable int stat = -1;  ///< open file /proc/PID/task/TID/stat, as it is read often
  };
  /// Returns true if the process has executed another program, which has a ProcessRecord of its
  /// own. (A process records its end before its last accesses.)
  [[nodiscard]] bool is_another_program(record::Offset process) const;
  void index(std::uint32_t stream);
  void index_all();
  [[nodiscard]] const record::Ring* ring_of(std::uint32_t stream) const;
  [[nodiscard]] std::string kernel_file(std::uint32_t stream, const char* name) const;
  /// Inspects the threads that are not held. Returns false if one of them may run without the
  /// simulation. `seen` gets the number of times that each was scheduled, `spinners` the threads
  /// that wait in loops.
  bool look_whether_all_wait(std::vector<std::uint64_t>& seen,
                             std::vector<std::uint32_t>& spinners) const;
  /// Waits until each of the spinners has checked its condition twice, or is blocked. Returns false
  /// if one has continued, or gets no processor.
  [[nodiscard]] bool all_look_twice(const std::vector<std::uint32_t>& spinners) const;
  /// Returns the kernel's state letter of the thread; 0 if there is no such thread.
  [[nodiscard]] char kernel_state(std::uint32_t stream) const;

  const Region& region_;
  RegionView view_;
  std::vector<Thread> threads_;
  record::Offset newest_ = 0;
  std::map<std::pair<record::Offset, std::uint32_t>, const record::Event*> sites_;
  std::map<record::Offset, std::vector<const record::Event*>> modules_, described_;
  std::atomic<bool> ended_{false}, stopped_{false};
  TouchedPages touched_;
};

/// Consumer of a running program's streams. It runs in its own thread.
class LiveRun {
 public:
  virtual ~LiveRun() = default;
  // Set before run() is called:
  StreamContents contents;          ///< optional contents that the front end records
  bool sees_all_libraries = false;  ///< the front end observes all libraries
  /// Returns when all streams have ended. If it throws, the program continues unwatched.
  virtual void run(LiveStreams& streams) = 0;
  /// Called when the recording is complete. `processes` maps the offset of a ProcessRecord to the
  /// index in `recording`.
  virtual void finish(const Recording& recording,
                      const std::unordered_map<record::Offset, std::uint32_t>& processes) = 0;
};

}  // namespace Atoll::recording
