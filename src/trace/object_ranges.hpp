// Collects the ranges of addresses that objects had, with their lifetimes in events, for streams
// (Recording::ranges). ObjectTable tells of them in the order of the events.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

class ObjectRanges {
 public:
  explicit ObjectRanges(std::size_t processes) : processes_(processes) {}

  /// Gives bytes [begin, end) to `object` after `clock` events, and takes them from others.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object,
           std::uint64_t clock);
  /// Does the same for an object that was there before it was told of (a stack, a module, the
  /// memory behind the program's data): bytes that nothing else ever had are its own from the
  /// beginning.
  void put_told_late(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                     std::uint32_t object, std::uint64_t clock);
  /// Gives the bytes to `object` for the lifetime of their present owner: to a module's variable.
  void put_inside(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint32_t object);
  /// Takes the bytes from their owner after `clock` events.
  void remove(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t clock);
  /// Returns all ranges, by process and address.
  [[nodiscard]] std::vector<ObjectRange> take();

 private:
  struct Range {
    std::uint64_t end, from;
    std::uint32_t object;
  };
  struct Memory {
    std::map<std::uint64_t, Range> now;  ///< by begin; disjoint
    std::map<std::uint64_t, std::uint64_t>
        known;  ///< begin to end, disjoint: bytes that somebody ever had
  };
  static void note_known(Memory& memory, std::uint64_t begin, std::uint64_t end);

  std::vector<Memory> processes_;
  std::vector<ObjectRange> ended_;
};

}  // namespace Atoll::trace
