// Describes the work of a block of code besides its accesses, for timed streams, and the loads that
// produce the registers' values. Each thread keeps, for each register, the number of the latest
// load that its value depends on. A block's plan lists the changes of these numbers at each access.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/record/access_style.hpp"
#include "record/emulator/block_plan.hpp"
#include "record/emulator/instruction.hpp"

namespace Atoll::record::dbi {

inline constexpr std::size_t kRegisters = 16;

/// Sets register `to`'s number to the largest number of the registers in `from` (bit i: register
/// i), or to 0 if `from` is empty.
struct NumberChange {
  std::uint8_t to;
  std::uint16_t from;
};

/// Work and number changes between two accesses.
struct Between {
  WorkCounts<std::uint16_t> work;
  std::uint16_t first_change = 0, changes = 0;  ///< index and number of entries in
                                                ///< TimedBlock::changes
};

/// An instruction with accesses. An unknown instruction is a site, too, and may have none.
struct TimedSite {
  Between before;                ///< since the previous site
  Between after;                 ///< if it is the block's last site: up to the block's end
  std::uint16_t address = 0;     ///< registers that the address is computed from
  std::uint16_t loads_into = 0;  ///< registers that the load writes
  bool atomic = false;
  std::uint8_t bytes = 8;  ///< size of a vector access, which the emulator splits into parts; else
                           ///< 8
};

struct TimedBlock {
  static constexpr std::size_t kMaxChanges = 2 * kMaxInstructions;  ///< further changes are dropped
  TimedSite sites[kMaxInstructions];
  std::uint16_t instructions[kMaxInstructions];  ///< index in the block of each site's instruction
  std::size_t site_count = 0;
  NumberChange changes[kMaxChanges];
  std::size_t change_count = 0;
  bool has_known_site = false;
  Between all;  ///< if it has no known site: all work of the block
};

/// Plans one block at a time.
class TimedPlan {
 public:
  void begin();
  /// Adds the next instruction; at most kMaxInstructions.
  void add(const Instruction& instruction);
  [[nodiscard]] const TimedBlock& finish();

 private:
  void change(std::uint8_t to, std::uint16_t from);
  void changes_of(const Instruction& instruction);
  void follow_floats(const Instruction& instruction);

  /// Symbolic value of a vector register: the value of register `of` at the block's entry, after
  /// this many operations.
  struct Chain {
    std::uint8_t of = kNoRegister;
    std::uint16_t steps = 0;
  };
  TimedBlock block_;
  Between between_;
  Chain chains_[kRegisters] = {};
  std::size_t last_site_ = 0;  // the latest known one
  std::uint16_t next_ = 0;
};

}  // namespace Atoll::record::dbi
