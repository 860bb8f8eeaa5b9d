// The ranges of addresses that objects had, with their lifetimes in events: what ObjectTable learns
// in the order of the events, for streams (Recording::ranges).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

class ObjectRanges {
 public:
  explicit ObjectRanges(std::size_t processes) : processes_(processes) {}

  /// Bytes [begin, end) are `object`'s after `clock` events; what had them before has them no more.
  void put(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t object,
           std::uint64_t clock);
  /// The same for what was there before it was told (stacks, modules, the memory behind the
  /// program's data): bytes that nothing else ever had are its from the beginning.
  void put_told_late(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                     std::uint32_t object, std::uint64_t clock);
  /// Of what has them now, the bytes are `object`'s instead, for as long: a module's variable.
  void put_inside(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                  std::uint32_t object);
  /// After `clock` events the bytes are nobody's.
  void remove(std::uint32_t process, std::uint64_t begin, std::uint64_t end, std::uint64_t clock);
  /// All of them, by process and address.
  [[nodiscard]] std::vector<ObjectRange> take();

 private:
  struct Range {
    std::uint64_t end, from;
    std::uint32_t object;
  };
  struct Memory {
    std::map<std::uint64_t, Range> now;            ///< by begin; disjoint
    std::map<std::uint64_t, std::uint64_t> known;  ///< begin to end, disjoint: ever somebody's
  };
  static void note_known(Memory& memory, std::uint64_t begin, std::uint64_t end);

  std::vector<Memory> processes_;
  std::vector<ObjectRange> ended_;
};

}  // namespace Atoll::trace
