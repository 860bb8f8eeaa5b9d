// Index of the objects that owned an address at a given time, for the accesses of streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/recording/recording.hpp"

namespace Atoll::recording {

/// Index of a recording's ObjectRanges. Its const members may be called concurrently.
class ObjectsByTime {
 public:
  /// Result of a lookup. It holds for addresses [begin, end) and clocks [from, until).
  struct Found {
    std::uint32_t object = kNone;  ///< kNone: no object; the first one if several own the address
    std::uint32_t count = 0;       ///< objects that own the address: at most 1 in a valid recording
    std::uint64_t begin = 0, end = 0;
    std::uint64_t from = 0, until = 0;
  };

  /// Throws Error (input) if more ranges overlap than in any valid recording.
  explicit ObjectsByTime(const Recording& recording);
  /// Returns the object that owned the process's address after `clock` events. If a forked child
  /// has no range for the address, its parent's range applies.
  [[nodiscard]] Found find(std::uint32_t process, std::uint64_t address, std::uint64_t clock) const;

 private:
  struct Span {
    std::uint64_t from, until;
    std::uint64_t last_until;  ///< maximum of `until` up to this span
    std::uint32_t object;
  };
  struct Memory {
    std::uint32_t parent = kNone;
    std::uint64_t forked_after = kNoEvent;
    std::vector<std::uint64_t> bounds;    ///< addresses, ascending
    std::vector<std::size_t> first_span;  ///< index by bound: its first span; a bound's spans end
                                          ///< where the next bound's begin, ordered by `from`
    std::vector<Span> spans;
  };
  static Memory index(std::vector<ObjectRange>& ranges);
  /// Looks up the process's own ranges, without inherited ones. If there is none, the result has
  /// the addresses and clocks for which there is none.
  static Found find_own(const Memory& memory, std::uint64_t address, std::uint64_t clock);

  std::vector<Memory> processes_;
};

/// Lookup for one thread's accesses, in the order of its stream. Caches the last results.
class ObjectCursor {
 public:
  ObjectCursor(const ObjectsByTime& objects, std::uint32_t process)
      : objects_(&objects), process_(process) {}
  /// Must be called with each event of the stream.
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
  static constexpr std::size_t kRemembered = 4;  // a loop often alternates between a few arrays
  ObjectsByTime::Found found_[kRemembered];
  std::size_t next_ = 0;
};

}  // namespace Atoll::recording
