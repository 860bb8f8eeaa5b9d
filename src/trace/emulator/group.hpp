// Accesses whose addresses differ by constants, such as those of a stack frame or of a structure.
// One callback, for the address of one of them, counts them all. Equal groups are one, wherever
// they are used, and packed, as a callback costs the cache lines that it needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/recorder/region.hpp"

namespace Atoll::trace::dbi {

inline constexpr std::size_t kMaxMembers = 15;  ///< of a group

/// A member of a group.
struct Member {
  std::int32_t offset;  ///< from the origin, which is at most 3 bytes before the first
  std::uint8_t bytes;
  bool is_store;
};
struct Members {
  std::uint32_t count = 0;
  Member member[kMaxMembers];  ///< by offsets, ascending
};

/// What a group adds to the origin's line and the next.
struct LinePair {
  recorder::Line counts[2];  ///< added to the lines'
  std::uint8_t words[2];     ///< masks
};
/// What a group adds to one of several lines.
struct LineCounts {
  recorder::Line counts;
  std::uint16_t line;      ///< from the origin's
  std::uint16_t farthest;  ///< line of all of them
  std::uint8_t words;
  bool last;  ///< no other follows
};

/// A group lives for ever. Its lines lie behind it.
struct alignas(64) Group {
  static constexpr unsigned kPlaces = 16;  ///< where an origin of 4 bytes may lie in its line

  recorder::Line counts;  ///< of all members
  // The following are by the origin's place in its line:
  std::uint8_t words[kPlaces];   ///< mask of the origin's line, if all members lie in it; else 0
  std::uint16_t pairs[kPlaces];  ///< of a narrow group: bytes from its beginning to its LinePair,
                                 ///< which is full from the start if a member lies in two lines
  std::uint16_t lines[kPlaces];  ///< bytes to the LineCounts of its lines; 0: a member lies in two
  bool is_narrow;                ///< it lies in two lines at most, next to each other
  Members members;

  [[nodiscard]] const LinePair* pair_at(std::uint64_t place) const {
    return static_cast<const LinePair*>(behind(pairs[place]));
  }
  [[nodiscard]] const LineCounts* lines_at(std::uint64_t place) const {
    return static_cast<const LineCounts*>(behind(lines[place]));
  }

 private:
  [[nodiscard]] const void* behind(std::uint16_t bytes) const {
    return reinterpret_cast<const std::uint8_t*>(this) + bytes;
  }
};

// Groups are in one place, so that a callback's data can hold one beside other things.
inline constexpr std::size_t kGroupsBytes = std::size_t{1} << 26;
__attribute__((visibility("hidden"))) extern std::uint8_t groups_memory[kGroupsBytes];
/// Returns the group's place in groups_memory in bytes, a multiple of 64.
inline std::uint32_t place_of(const Group* group) {
  return static_cast<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(group) - groups_memory);
}
inline const Group* group_at(std::uint64_t place) {
  return reinterpret_cast<const Group*>(groups_memory + place);
}

/// A group and where it begins relative to an address, as a callback's data.
class PackedGroup {
 public:
  PackedGroup(const Group* group, std::int16_t origin)
      : bits_(reinterpret_cast<std::uint64_t>(group) << kShift |
              static_cast<std::uint16_t>(origin)) {}
  explicit PackedGroup(void* data) : bits_(reinterpret_cast<std::uint64_t>(data)) {}
  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(bits_); }
  [[nodiscard]] const Group* group() const {
    return reinterpret_cast<const Group*>(bits_ >> kShift);  // addresses have 47 bits
  }
  [[nodiscard]] std::uint64_t origin() const {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(bits_)});
  }

 private:
  static constexpr unsigned kShift = 16;
  std::uint64_t bits_;
};

/// Returns the group of these members; null if memory is short, or one is too far from the first.
[[nodiscard]] const Group* find_group(const Members& members);

}  // namespace Atoll::trace::dbi
