// A simulated program as the engine sees it: threads that each execute a sequence of records, and a
// decision where a page is placed at its first touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/batch.hpp"
#include "simulate/pages.hpp"

namespace Atoll::simulate {

/// Key of the releases that create OpenMP tasks, and the second key of threads that may then
/// execute a task (inside/waits/openmp.hpp).
inline constexpr std::uint64_t kTasks = 24;

/// A thread of the program.
struct ProgramThread {
  std::uint32_t process = 0;
  std::uint32_t place = 0;   ///< index in Engine::Options::hw_threads
  bool starts_alone = true;  ///< false: started by an event of another thread
};

/// Page fault.
struct Fault {
  bool write = false;
  bool small = false;  ///< map a page of 4 KiB, as there are or were such pages around it
};

class SimulatedProgram {
 public:
  virtual ~SimulatedProgram() = default;
  /// Appends the thread's next records to the batch, which is empty. Returns false if the thread
  /// has ended. True with an empty batch: a live program's thread sleeps for an unknown reason.
  virtual bool next(std::uint32_t thread, Batch& batch) = 0;
  /// Places a page at its first touch, or at the first write to a zero page, by thread `thread` on
  /// `node`.
  virtual Page touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address,
                     Fault fault) = 0;
  /// Reports that a page was unmapped.
  virtual void dropped(const Page& /*page*/) {}
  /// Reports that the process has moved the pages of a range to another address.
  virtual void remapped(std::uint32_t /*process*/, std::uint64_t /*begin*/, std::uint64_t /*end*/,
                        std::uint64_t /*to*/) {}
  /// Number of objects so far.
  virtual std::size_t objects() { return 1; }
  /// Returns the number of the object that contains the address, below objects(). Called for a
  /// thread's accesses in program order.
  virtual std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) = 0;
  /// Range around `address` in which object_of() returns the same object, until any thread
  /// executes a record other than a memory access. `address` was the last one passed to
  /// object_of().
  struct Span {
    std::uint64_t begin, end;
  };
  virtual Span span_of_object(std::uint32_t /*thread*/, std::uint64_t address) {
    return {address, address + 1};
  }
  /// The thread executes an event.
  virtual void execute_event(std::uint32_t /*thread*/, const recording::StreamEvent& /*event*/) {}
  /// The thread executes a call that places memory, but doesn't map, unmap or remap it.
  virtual void execute_call(std::uint32_t /*thread*/, const recording::StreamPlacement& /*call*/) {}
  /// Returns the memory whose copy of a replicated page `node` reads. Throws if `write` is true, as
  /// the copies would differ.
  virtual std::uint16_t copy_for(std::uint32_t /*node*/, std::uint64_t /*address*/,
                                 std::uint16_t home, bool /*write*/) {
    return home;
  }
  /// Interface of a live program; null if the program is recorded.
  virtual class LiveThreads* live() { return nullptr; }
};

/// Queries of the coordinator about the threads of a live program. The functions block in real time
/// until the answer is certain, so answers don't depend on the speed of the program.
class LiveThreads {
 public:
  virtual ~LiveThreads() = default;
  /// Returns the thread that event `number` of `creator` creates; it becomes the scheduler's next
  /// thread. Empty if the system refused to create it.
  virtual std::optional<ProgramThread> create(std::uint32_t creator, std::uint64_t number) = 0;
  /// Returns the thread that event `number` of `joiner` joined; empty if unknown.
  virtual std::optional<std::uint32_t> joined(std::uint32_t joiner, std::uint64_t number) = 0;
  /// Returns a new thread without a known creator: the program's first one, or a forked process's.
  /// Empty if there is none.
  virtual std::optional<ProgramThread> appeared() = 0;
  /// True if next() would return records of the thread.
  virtual bool has_more(std::uint32_t thread) = 0;
  /// Blocks until the thread has more records (true) or surely sleeps (false).
  virtual bool wait_for_records(std::uint32_t thread) = 0;
  /// As wait_for_records(), for several threads: keeps those that have more records.
  virtual void wait_for_records_of_each(std::vector<std::uint32_t>& threads) = 0;
  /// As wait_for_records_of_each(), but returns once `count` of them have more records, or it is
  /// known of each whether it gets any. At least `sure` of them surely get more records.
  virtual void wait_for_records_of_some(std::vector<std::uint32_t>& threads, std::size_t count,
                                        std::size_t sure) = 0;
  /// Blocks without a time limit until the thread has more records or has ended.
  virtual void wait_for_more(std::uint32_t thread) = 0;
  /// Lets the thread, which waits in a `turn` record, execute the call that it delayed. Returns
  /// when the call is done.
  virtual void grant_turn(std::uint32_t thread) = 0;
  /// The program's identifier of a thread, for which joiners sleep.
  virtual std::uint64_t number_of(std::uint32_t thread) = 0;
  /// True if a thread runs, or is runnable.
  virtual bool some_run() = 0;
  /// True when the program has ended.
  virtual bool has_ended() = 0;
  /// True if the user stopped the program some time ago: the remaining records are dropped.
  virtual bool was_stopped() = 0;
  struct Move {
    std::uint32_t thread, place;
  };
  /// Executes a call of `thread` that binds a thread to processing units. Returns the threads that
  /// move, with their new places.
  virtual std::vector<Move> bind(std::uint32_t thread, const recording::StreamPlacement& call) = 0;
  /// Returns the threads that the last create() or appeared() moved to other places.
  virtual std::vector<Move> moved_threads() = 0;
  /// Pages of the process that were moved since the last call.
  struct Moved {
    std::uint32_t process;
    std::uint64_t begin, end;
    std::uint16_t home;
    bool discarded = false;  ///< unmapped instead: the next access places them
  };
  virtual std::vector<Moved> moved_pages() = 0;
};

}  // namespace Atoll::simulate
