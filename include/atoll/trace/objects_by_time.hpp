// Which object an access of a stream is to: the one that had the address then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// A recording's ranges, to be looked up. Reading is const: several threads may do it at once.
class ObjectsByTime {
 public:
  /// An answer, and for which addresses and clocks it is the same.
  struct Found {
    std::uint32_t object = kNone;  ///< kNone: none; the first of several
    std::uint32_t count = 0;       ///< how many objects had the address: 1 in a right recording
    std::uint64_t begin = 0, end = 0;
    std::uint64_t from = 0, until = 0;
  };

  /// Throws Error (input): ranges that overlap without end, as no recording has them.
  explicit ObjectsByTime(const Recording& recording);
  /// The object that the process's address belonged to after `clock` events. What a forked child
  /// has no range for is its parent's.
  [[nodiscard]] Found find(std::uint32_t process, std::uint64_t address, std::uint64_t clock) const;

 private:
  struct Span {
    std::uint64_t from, until;
    std::uint64_t last_until;  ///< the greatest so far
    std::uint32_t object;
  };
  struct Memory {
    std::uint32_t parent = kNone;
    std::uint64_t forked_after = kNoEvent;
    std::vector<std::uint64_t> bounds;    ///< of addresses, ascending
    std::vector<std::size_t> first_span;  ///< by bound: the spans up to the next one, by `from`
    std::vector<Span> spans;
  };
  static Memory index(std::vector<ObjectRange>& ranges);
  /// Without what is inherited; where there is none, for which addresses and clocks that is so.
  static Found find_own(const Memory& memory, std::uint64_t address, std::uint64_t clock);

  std::vector<Memory> processes_;
};

/// The same for one thread's accesses, in the order of its stream.
class ObjectCursor {
 public:
  ObjectCursor(const ObjectsByTime& objects, std::uint32_t process)
      : objects_(&objects), process_(process) {}
  /// Each event of the stream.
  void event(const StreamEvent& event) { clock_ = event.clock(); }
  [[nodiscard]] const ObjectsByTime::Found& find(std::uint64_t address) {
    for (const ObjectsByTime::Found& found : found_)
      if (address >= found.begin && address < found.end && clock_ >= found.from &&
          clock_ < found.until)
        return found;
    next_ = (next_ + 1) % kRemembered;
    return found_[next_] = objects_->find(process_, address, clock_);
  }

 private:
  const ObjectsByTime* objects_;
  std::uint32_t process_;
  std::uint64_t clock_ = 0;
  static constexpr std::size_t kRemembered = 4;  // a loop uses some arrays in turn
  ObjectsByTime::Found found_[kRemembered];
  std::size_t next_ = 0;
};

}  // namespace Atoll::trace
