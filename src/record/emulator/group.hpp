// Accesses whose addresses differ by constants, such as those to a stack frame or a structure. One
// callback with the address of one of them counts them all. Equal groups are shared, wherever they
// are used, and stored compactly, since a callback's cost depends on the cache lines that it
// touches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/region.hpp"

namespace Atoll::record::dbi {

inline constexpr std::size_t kMaxMembers = 15;  ///< maximum number of members in a group

/// A member of a group.
struct Member {
  std::int32_t offset;  ///< relative to the origin, which is at most 3 bytes before the first
                        ///< member
  std::uint8_t bytes;
  bool is_store;
};
struct Members {
  std::uint32_t count = 0;
  Member member[kMaxMembers];  ///< sorted by offset, ascending
};

/// Counts and words that a group adds to the origin's line and the next one.
struct LinePair {
  record::Line counts[2];  ///< added to the counts of the two lines
  std::uint8_t words[2];   ///< masks
};
/// Counts and words that a group adds to one of its lines.
struct LineCounts {
  record::Line counts;
  std::uint16_t line;      ///< relative to the origin's line
  std::uint16_t farthest;  ///< last line of the group, relative to the origin's line
  std::uint8_t words;
  bool last;  ///< this is the group's last line
};

/// A group is never freed. The data of its lines follows it in memory.
struct alignas(64) Group {
  static constexpr unsigned kPlaces = 16;  ///< offsets of an origin in its line, in units of 4
                                           ///< bytes

  record::Line counts;  ///< sum of all members
  // The following arrays are indexed by the origin's place in its line:
  std::uint8_t words[kPlaces];   ///< mask of the origin's line if all members are in it, else 0
  std::uint16_t pairs[kPlaces];  ///< narrow group: offset in bytes from the group to its LinePair.
                                 ///< If a member crosses lines, the pair's counts are kFull, which
                                 ///< forces the slow path
  std::uint16_t lines[kPlaces];  ///< offset in bytes to the LineCounts of its lines; 0: a member
                                 ///< crosses lines
  bool is_narrow;                ///< it spans at most two adjacent lines
  Members members;

  [[nodiscard]] const LinePair* pair_at(std::uint64_t place) const {
    return static_cast<const LinePair*>(at_offset(pairs[place]));
  }
  [[nodiscard]] const LineCounts* lines_at(std::uint64_t place) const {
    return static_cast<const LineCounts*>(at_offset(lines[place]));
  }

 private:
  [[nodiscard]] const void* at_offset(std::uint16_t bytes) const {
    return reinterpret_cast<const std::uint8_t*>(this) + bytes;
  }
};

// All groups are in one array, so that a callback's data can hold an offset into it and other
// values.
inline constexpr std::size_t kGroupsBytes = std::size_t{1} << 26;
__attribute__((visibility("hidden"))) extern std::uint8_t groups_memory[kGroupsBytes];
/// Returns the group's offset in groups_memory in bytes, a multiple of 64.
inline std::uint32_t place_of(const Group* group) {
  return static_cast<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(group) - groups_memory);
}
inline const Group* group_at(std::uint64_t place) {
  return reinterpret_cast<const Group*>(groups_memory + place);
}

/// A group and its origin relative to an address, packed into a callback's data.
class PackedGroup {
 public:
  PackedGroup(const Group* group, std::int16_t origin)
      : bits_(reinterpret_cast<std::uint64_t>(group) << kShift |
              static_cast<std::uint16_t>(origin)) {}
  explicit PackedGroup(void* data) : bits_(reinterpret_cast<std::uint64_t>(data)) {}
  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(bits_); }
  [[nodiscard]] const Group* group() const {
    return reinterpret_cast<const Group*>(bits_ >> kShift);  // user-space addresses have 47 bits
  }
  [[nodiscard]] std::uint64_t origin() const {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(bits_)});
  }

 private:
  static constexpr unsigned kShift = 16;
  std::uint64_t bits_;
};

/// Returns the group of these members, or null if memory is short or a member is too far from the
/// first.
[[nodiscard]] const Group* find_group(const Members& members);

}  // namespace Atoll::record::dbi
