// Plans what to watch in a block of code, so that as few callbacks as possible count all of its
// accesses. Accesses whose addresses differ by constants are a group. Addresses that follow from
// the registers' values when the block begins need no callback at an instruction. A block runs from
// its beginning to its end, unless there is a fault.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/emulator/group.hpp"
#include "trace/emulator/instruction.hpp"

namespace Atoll::trace::dbi {

inline constexpr std::size_t kMaxInstructions = 512;  ///< of a block, for qemu

/// What to watch at an instruction.
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
  std::int16_t origin = 0;  ///< of the group, from the access's address
};

/// What to count when the block begins, from the registers' values there.
struct AtEntry {
  Access access;                 ///< the only one, or where the group begins
  const Group* group = nullptr;  ///< null: one access
};

/// Which addresses may be taken from registers when a block begins.
struct EntryRules {
  bool allowed = false;
  std::uint64_t near = 0;  ///< groups at fixed addresses within 2 GiB of this
};

/// Plans the watching of one block at a time.
class BlockPlan {
 public:
  void begin();
  /// Adds the next instruction; at most kMaxInstructions.
  void add(const Instruction& instruction);
  /// Call it after the last instruction. Returns what to watch at each, in order.
  const Watch* finish(const EntryRules& rules);
  /// Returns what to count when the block begins.
  [[nodiscard]] const AtEntry* entries() const { return entries_; }
  [[nodiscard]] std::size_t entry_count() const { return entry_count_; }

  /// An instruction with one access, whose address follows from a register when the block begins.
  struct Example {
    std::size_t instruction;
    Register base;
    std::int64_t displacement;
  };
  /// Returns false if there is none.
  [[nodiscard]] bool example(Example& found) const;

 private:
  struct Value {  // a register's
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
    std::uint16_t next;  // of its group
    bool is_pair;        // its instruction has two
  };
  struct Open {  // a group, while it may get more members
    Key key;
    std::uint32_t members;
    std::uint16_t first, last;  // in seen_
    bool at_entry;
  };

  void forget();
  void see(const Access& access, bool is_pair);
  bool enter(const Open& open, const EntryRules& rules);
  bool lead(const Open& open);
  const Open* choose_leaders();
  void start_over();
  const Group* group_of(const Open& open, std::int64_t& origin) const;

  std::size_t instructions_ = 0, seen_count_ = 0, open_count_ = 0, entry_count_ = 0;
  std::uint32_t next_symbol_ = 0, absolute_ = 0;
  Value registers_[16] = {};
  Seen seen_[2 * kMaxInstructions];
  Open open_[2 * kMaxInstructions];
  Watch watches_[kMaxInstructions];
  AtEntry entries_[2 * kMaxInstructions];
};

}  // namespace Atoll::trace::dbi
