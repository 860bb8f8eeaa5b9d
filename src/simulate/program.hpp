// What a simulated program is to the engine: threads that each do one thing after the other, and
// someone who says where a page goes when it is touched first.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/pages.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// One thing that a thread does.
struct Op {
  enum class Kind : std::uint8_t {
    access,
    loop,         ///< `count` ranges from Batch::ranges[first] on, iteration by iteration
    create,       ///< thread `other` may begin
    join,         ///< waits until thread `other` has ended
    timed_begin,  ///< from here on, time counts for all threads
    timed_end,
    clock,        ///< so many events have happened: `address`
    work,         ///< `address` instructions, of these `first` divisions and `count` of a chain
  };
  Kind kind = Kind::access;
  bool write = false;
  bool atomic = false;
  std::uint16_t bytes = 0;
  std::uint16_t depends_on = 0;  ///< its address comes from the n-th load before it; 0: from none
  std::uint16_t divisions = 0, chain = 0;  ///< of the instructions, as trace::AccessStyle has them
  std::uint32_t instructions = 0;          ///< before it
  std::uint64_t address = 0;
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
  std::uint32_t place = 0;       ///< which of the engine's seats
  bool starts_alone = true;      ///< false: a `create` of another thread starts it
};

class Program {
 public:
  virtual ~Program() = default;
  /// What the thread does next, appended to the batch, which is empty; false: no more.
  virtual bool next(std::uint32_t thread, Batch& batch) = 0;
  /// Thread `thread` on `node` touches a page that nobody has touched.
  virtual Page touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address) = 0;
  /// Which object the address is of, below objects(). Called for a thread's accesses in its order.
  virtual std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) = 0;
  /// So many events have happened for what the thread does next.
  virtual void clock(std::uint32_t /*thread*/, std::uint64_t /*events*/) {}
  /// The memory of the copy that `node` reads of a replicated page. Throws where `write` is true,
  /// as copies would differ.
  virtual std::uint16_t copy_for(std::uint32_t /*node*/, std::uint64_t /*address*/,
                                 std::uint16_t home, bool /*write*/) {
    return home;
  }
};

}  // namespace Atoll::simulate
