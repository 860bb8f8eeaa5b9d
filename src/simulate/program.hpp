// What a simulated program is to the engine: threads that each do one thing after the other, and
// someone who says where a page goes when it is touched first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/pages.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Key of the releases by which OpenMP's tasks are created, and the second key of threads that may
/// execute one then (inside/waits/openmp.hpp).
inline constexpr std::uint64_t kTasks = 24;

/// One thing that a thread does.
struct Op {
  enum class Kind : std::uint8_t {
    access,
    loop,         ///< `count` ranges from Batch::ranges[first] on, iteration by iteration
    create,       ///< thread `other` may begin
    join,         ///< waits until thread `other` has ended
    timed_begin,  ///< from here on, time counts for all threads
    timed_end,
    clock,     ///< so many events have happened: `address`
    work,      ///< `address` instructions, of these `first` divisions and `count` of a chain
    release,   ///< release number `address` happens; its key: `key`. Of those that wait for a turn
               ///< behind it, `count` go on, or all if that is 0
    wait_for,  ///< waits until release `address` has happened
    expects,   ///< `count` other threads go on behind release `address`
    barrier,   ///< meets others at `key`: `count` with it, for the time `address`
    post,      ///< to the semaphore `key`, for the time `address`
    take,      ///< waits for post `address` to the semaphore `key`
    asleep,    ///< may wait from here until its next op, for `key` or `address`
    bind,      ///< the thread's next call binds a thread to a place
    populate,  ///< the kernel maps the pages of `key` bytes from `address` on; `write`: as by
               ///< writes
    discard,   ///< `key` bytes from `address` on have no pages any more
    remap,     ///< `count` pages of 4 KiB from `address` on are at `key` now
    turn,      ///< what the thread does next depends on who comes first; it waits for the next
               ///< release of `key` before, unless that is 0
  };
  Kind kind = Kind::access;
  bool write = false;
  bool atomic = false;
  std::uint16_t bytes = 0;
  std::uint16_t depends_on = 0;  ///< its address comes from the n-th load before it; 0: from none
  std::uint16_t divisions = 0, chain = 0;  ///< of the instructions, as trace::AccessStyle has them
  std::uint32_t instructions = 0;          ///< before it
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  std::uint32_t first = 0, count = 0;
  std::uint32_t other = 0;
};

/// A loop's accesses: as trace::AccessRange, with the instructions of one iteration before each.
struct OpRange {
  std::uint64_t address = 0;
  std::int64_t step = 0;
  std::uint64_t n = 0;
  std::uint32_t bytes = 0;
  std::uint32_t instructions = 0;
  std::uint16_t depends_on = 0;            ///< of the first iteration's access
  std::uint16_t divisions = 0, chain = 0;  ///< of the instructions
  bool write = false, atomic = false;
};

struct Batch {
  std::vector<Op> ops;
  std::vector<OpRange> ranges;
  void clear() {
    ops.clear();
    ranges.clear();
  }
};

/// A thread of the program.
struct ProgramThread {
  std::uint32_t process = 0;
  std::uint32_t place = 0;   ///< which of the engine's seats
  bool starts_alone = true;  ///< false: a `create` of another thread starts it
};

/// Why the kernel has to map a page.
struct Fault {
  bool write = false;
  bool small = false;  ///< there are, or were, pages of 4 KiB around it: it is one, too
};

class Program {
 public:
  virtual ~Program() = default;
  /// What the thread does next, appended to the batch, which is empty; false: no more. True and
  /// nothing: of a program that runs, the thread sleeps, and nothing tells for what.
  virtual bool next(std::uint32_t thread, Batch& batch) = 0;
  /// Thread `thread` on `node` touches a page that nobody has touched, or writes to a page of
  /// zeros.
  virtual Page touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address,
                     Fault fault) = 0;
  /// A page has been given back.
  virtual void dropped(const Page& /*page*/) {}
  /// Which object the address is of, below objects(). Called for a thread's accesses in its order.
  virtual std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) = 0;
  /// For which addresses around this one, which was asked for last, object_of() is the same, until
  /// any thread does something else than to access memory.
  struct Span {
    std::uint64_t begin, end;
  };
  virtual Span span_of_object(std::uint32_t /*thread*/, std::uint64_t address) {
    return {address, address + 1};
  }
  /// So many events have happened for what the thread does next.
  virtual void clock(std::uint32_t /*thread*/, std::uint64_t /*events*/) {}
  /// The memory of the copy that `node` reads of a replicated page. Throws where `write` is true,
  /// as copies would differ.
  virtual std::uint16_t copy_for(std::uint32_t /*node*/, std::uint64_t /*address*/,
                                 std::uint16_t home, bool /*write*/) {
    return home;
  }
  /// Of a program that runs meanwhile; null: what threads do is known beforehand.
  virtual class LiveThreads* live() { return nullptr; }
};

/// What the engine asks about threads of a program that runs. Times are real ones: answers wait
/// until they are sure, so they don't depend on how fast the program runs.
class LiveThreads {
 public:
  virtual ~LiveThreads() = default;
  /// The thread that event `number` of that thread creates; it is the engine's next one. Nothing:
  /// the system refused.
  virtual std::optional<ProgramThread> create(std::uint32_t creator, std::uint64_t number) = 0;
  /// The thread that event `number` of that thread has waited for; nothing: it isn't known.
  virtual std::optional<std::uint32_t> joined(std::uint32_t joiner, std::uint64_t number) = 0;
  /// A thread that nobody is seen to create: the program's first, a forked process's. Nothing: none
  /// has begun since.
  virtual std::optional<ProgramThread> appeared() = 0;
  /// True if the thread has done something that next() would give.
  virtual bool has_more(std::uint32_t thread) = 0;
  /// Waits until the thread has done more (true), or sleeps for sure (false).
  virtual bool settles(std::uint32_t thread) = 0;
  /// The same of several: keeps those that have done more.
  virtual void settle(std::vector<std::uint32_t>& threads) = 0;
  /// The same until `count` of them have done more, or all. `sure`: at least so many do.
  virtual void wait_for_some(std::vector<std::uint32_t>& threads, std::size_t count,
                             std::size_t sure) = 0;
  /// Waits until the thread has done more or has ended, for as long as that may take.
  virtual void wait_for_more(std::uint32_t thread) = 0;
  /// The thread, which waits for its turn, does what it waits with. Returns when it has done it.
  virtual void give_turn(std::uint32_t thread) = 0;
  /// How the program knows a thread whose end others wait for.
  virtual std::uint64_t number_of(std::uint32_t thread) = 0;
  /// True if a thread does something, or will as soon as a processor is free.
  virtual bool some_run() = 0;
  /// True when the program has ended.
  virtual bool has_ended() = 0;
  /// True if somebody stopped it some time ago: what is left isn't worth waiting for.
  virtual bool was_stopped() = 0;
  /// The next call of that thread that binds a thread: who goes on at which place.
  struct Move {
    std::uint32_t thread, place;
  };
  virtual std::vector<Move> bind(std::uint32_t thread) = 0;
  /// Threads that continue at other places since create() or appeared() placed one more.
  virtual std::vector<Move> moved_threads() = 0;
  /// Reports that the process has moved the pages of a range to another address.
  virtual void remapped(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                        std::uint64_t to) = 0;
  /// How many objects there are.
  virtual std::size_t objects() = 0;
  /// Pages of the process that have moved since the last call.
  struct Moved {
    std::uint32_t process;
    std::uint64_t begin, end;
    std::uint16_t home;
    bool discarded = false;  ///< they are gone instead: the next access places them
  };
  virtual std::vector<Moved> moved_pages() = 0;
};

}  // namespace Atoll::simulate
