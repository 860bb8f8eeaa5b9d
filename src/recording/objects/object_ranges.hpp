// Collects the address ranges of objects with their lifetimes in events, for streams
// (Recording::ranges). ObjectTable calls it in the order of the events.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "base/range_map.hpp"

namespace Atoll::recording {

class ObjectRanges {
 public:
  explicit ObjectRanges(std::size_t processes) : processes_(processes) {}

  /// Assigns bytes [begin, end) to `object` from clock `clock` on, and removes them from other
  /// objects.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object,
           std::uint64_t clock);
  /// As put(), for an object that existed before it was reported (a stack, a module, the brk heap):
  /// bytes that no other object ever owned are its own from the beginning.
  void put_preexisting(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                       std::uint32_t object, std::uint64_t clock);
  /// Assigns the bytes to `object` for the lifetime of their current owner. Used for variables of a
  /// module.
  void put_inside(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint32_t object);
  /// Ends the ownership of the bytes at clock `clock`.
  void remove(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t clock);
  /// Returns all ranges, ordered by process and address.
  [[nodiscard]] std::vector<ObjectRange> take();

 private:
  struct Owner {
    std::uint64_t from;  ///< clock
    std::uint32_t object;
  };
  struct Memory {
    RangeMap<Owner> now;
    RangeSet known;  ///< bytes that any object ever owned
  };

  std::vector<Memory> processes_;
  std::vector<ObjectRange> ended_;
};

}  // namespace Atoll::recording
