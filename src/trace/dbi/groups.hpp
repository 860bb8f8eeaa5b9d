// Accesses of a block of code whose addresses differ by constants, such as those of a stack frame
// or of a structure: one callback, for the address of one of them, counts them all. A block runs
// from its beginning to its end, but for a fault.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/dbi/instruction.hpp"
#include "trace/recorder/region.hpp"

namespace Atoll::trace::dbi {

inline constexpr std::size_t kMostInstructions = 512;  ///< of a block, for qemu
inline constexpr std::size_t kMostMembers = 15;        ///< of a group

/// Of a group, from its origin.
struct Member {
  std::int32_t offset;
  std::uint8_t bytes;
  bool is_store;
};

/// What a group does to one line.
struct LineCounts {
  recorder::Line counts;  ///< added to the line's
  std::uint32_t offset;   ///< bytes from the origin's recorder::Line
  std::uint8_t words;     ///< mask
  bool last;              ///< no other follows
};

inline constexpr unsigned kPlacesInLine = 16;  ///< where an origin of 4 bytes may lie in its line

/// Its members lie before it. Groups alike are the same one; they live for ever.
struct Group {
  std::int64_t origin;  ///< from the address that the callback gets
  /// By the origin's place in its line.
  struct {
    /// All lines are in the origin's page if that lies before this there, in units of 4 bytes.
    std::uint16_t limit;
    std::uint16_t begin;  ///< bytes to the first of its lines; 0: an access would lie in two
  } place[kPlacesInLine];
  LineCounts lines[kPlacesInLine * kMostMembers];  ///< as many as there are, ascending
};
inline const LineCounts* lines_at(const Group* group, std::uint16_t begin) {
  return reinterpret_cast<const LineCounts*>(reinterpret_cast<const std::uint8_t*>(group) + begin);
}
struct Members {
  std::int64_t origin;
  std::uint32_t count;
  Member member[kMostMembers];
};
inline const Members& members_of(const Group* group) {
  return reinterpret_cast<const Members*>(group)[-1];
}

/// What is to be watched at an instruction.
struct Watch {
  enum class What : std::uint8_t {
    nothing,  ///< it accesses nothing, or it is counted elsewhere
    each,     ///< each of its accesses
    one,      ///< its one access, which is `access`
    group,    ///< its access (its loads or stores, as `access` is) counts a group
  };
  What what = What::each;
  bool of_two = false;  ///< the instruction has another access, of the other kind
  Access access;
  const Group* group = nullptr;
};

/// Plans the watching of one block at a time.
class BlockPlan {
 public:
  void begin();
  /// The next instruction, at most kMostInstructions.
  void add(const Instruction& instruction);
  /// After the last: what is to be watched at each, in order.
  const Watch* finish();

 private:
  struct Value {  // of a register
    std::uint32_t symbol;
    std::int64_t offset;
  };
  struct Key {  // what addresses that differ by constants have in common
    std::uint32_t base, index;
    std::uint8_t scale, segment;
    bool operator==(const Key&) const = default;
  };
  struct Seen {
    Access access;
    std::int64_t offset;  // from the key's address
    std::uint16_t instruction;
    std::uint16_t group;
  };
  struct Open {
    Key key;
    std::uint32_t members;
  };

  void forget();
  void see(const Access& access);
  void start_over();
  bool lead(std::size_t group);
  [[nodiscard]] const Group* group_of(std::size_t group, const Seen& leader) const;

  std::size_t instructions_ = 0, seen_count_ = 0, open_count_ = 0;
  std::uint32_t next_symbol_ = 0, absolute_ = 0;
  Value registers_[16] = {};
  Seen seen_[2 * kMostInstructions];
  Open open_[2 * kMostInstructions];
  Watch watches_[kMostInstructions];
};

}  // namespace Atoll::trace::dbi
