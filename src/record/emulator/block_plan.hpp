// Chooses the callbacks of a block of code, so that as few as possible count all of its accesses.
// Accesses whose addresses differ by constants form a group. If an address follows from the
// registers' values at the block's entry, the access needs no callback at its instruction. A block
// is executed from its first to its last instruction, unless there is a fault.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/emulator/group.hpp"
#include "record/emulator/instruction.hpp"

namespace Atoll::record::dbi {

inline constexpr std::size_t kMaxInstructions = 512;  ///< qemu's limit for a block

/// The callback of one instruction.
struct Watch {
  enum class What : std::uint8_t {
    nothing,  ///< none: it has no accesses, or another callback counts them
    each,     ///< counts each of its accesses
    one,      ///< counts its only access, which is `access`
    group,    ///< its access of the same kind as `access` (load or store) counts a group
  };
  What what = What::each;
  bool of_two = false;  ///< the instruction also has an access of the other kind
  MemoryOperand access;
  const Group* group = nullptr;
  std::int16_t origin = 0;  ///< first address of the group, relative to the access's address
};

/// An access or group that is counted at the block's entry, from the registers' values there.
struct AtEntry {
  MemoryOperand access;          ///< the only access, or the origin of the group
  const Group* group = nullptr;  ///< null: a single access
};

/// Restricts the addresses that may be computed from registers at a block's entry.
struct EntryRules {
  bool allowed = false;
  std::uint64_t near = 0;  ///< groups at fixed addresses must be within 2 GiB of this
};

/// Chooses the callbacks of one block at a time.
class BlockPlan {
 public:
  void begin();
  /// Adds the next instruction; at most kMaxInstructions.
  void add(const Instruction& instruction);
  /// Call it after the last instruction. Returns the callback of each instruction, in order.
  const Watch* finish(const EntryRules& rules);
  /// Returns the accesses and groups to count at the block's entry.
  [[nodiscard]] const AtEntry* entries() const { return entries_; }
  [[nodiscard]] std::size_t entry_count() const { return entry_count_; }

  /// An instruction with a single access whose address follows from one register at the block's
  /// entry.
  struct Example {
    std::size_t instruction;
    Register base;
    std::int64_t displacement;
  };
  /// Returns false if the block has no such instruction.
  [[nodiscard]] bool example(Example& found) const;

 private:
  struct Value {  // symbolic value of a register: symbol + offset
    std::uint32_t symbol;
    std::int64_t offset;
  };
  struct Key {  // equal for addresses that differ by constants
    std::uint32_t base, index;
    std::uint8_t scale, segment;
    bool operator==(const Key&) const = default;
  };
  struct Seen {
    MemoryOperand access;
    std::int64_t offset;  // relative to the key's address
    std::uint16_t instruction;
    std::uint16_t next;  // next member of its group
    bool is_pair;        // its instruction has two accesses
  };
  struct Open {  // a group that more members may be added to
    Key key;
    std::uint32_t members;
    std::uint16_t first, last;  // in seen_
    bool at_entry;
  };

  void forget();
  void see(const MemoryOperand& access, bool is_pair);
  bool enter(const Open& open, const EntryRules& rules);
  bool lead(const Open& open);
  const Open* choose_instructions();
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

}  // namespace Atoll::record::dbi
