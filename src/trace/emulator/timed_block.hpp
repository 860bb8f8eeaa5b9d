// What a block of code does besides its accesses, for timed streams: work, and which loads the
// registers' values come from. Register by register, a thread keeps the number of the last load
// that went into it; a block's plan says how these numbers change at each access.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/emulator/block_plan.hpp"
#include "trace/emulator/instruction.hpp"

namespace Atoll::trace::dbi {

inline constexpr std::size_t kRegisters = 16;

/// Register `to` gets the largest number of those in `from` (bit i: register i); 0 if there is
/// none.
struct NumberChange {
  std::uint8_t to;
  std::uint16_t from;
};

/// What happens between accesses.
struct Between {
  std::uint16_t instructions = 0, divisions = 0, chain = 0;
  std::uint16_t first_change = 0, changes = 0;  ///< of TimedBlock::changes
};

/// An instruction with accesses; one that isn't known may have none.
struct TimedSite {
  Between before;                ///< since the site before it
  Between behind;                ///< up to the block's end, if it is the block's last site
  std::uint16_t address = 0;     ///< registers that the address is made of
  std::uint16_t loads_into = 0;  ///< registers that get what is loaded
  bool atomic = false;
  std::uint8_t bytes = 8;  ///< above 8: the emulator makes the access in parts
};

struct TimedBlock {
  static constexpr std::size_t kMaxChanges = 2 * kMaxInstructions;  ///< further ones are left out
  TimedSite sites[kMaxInstructions];
  std::uint16_t instructions[kMaxInstructions];  ///< whose sites these are
  std::size_t site_count = 0;
  NumberChange changes[kMaxChanges];
  std::size_t change_count = 0;
  bool has_known_site = false;
  Between all;  ///< if it has none, all that happens in the block
};

/// True if the instruction accesses memory as one atomic operation: it is locked, or an exchange.
[[nodiscard]] bool is_atomic(const std::uint8_t* code, std::size_t bytes, bool is_64_bit);

/// Plans one block at a time.
class TimedPlan {
 public:
  void begin();
  /// Adds the next instruction; at most kMaxInstructions. `bytes` are those of a vector access,
  /// else 8.
  void add(const Instruction& instruction, bool atomic, std::uint8_t bytes);
  [[nodiscard]] const TimedBlock& finish();

 private:
  void change(std::uint8_t to, std::uint16_t from);
  void changes_of(const Instruction& instruction);
  void follow_floats(const Instruction& instruction);

  /// What a vector register has: the value that a register had when the block began, with so many
  /// operations on it.
  struct Chain {
    std::uint8_t of = kNoRegister;
    std::uint16_t steps = 0;
  };
  TimedBlock block_;
  Between between_;
  Chain chains_[kRegisters] = {};
  std::size_t last_site_ = 0;  // that is known
  std::uint16_t next_ = 0;
};

}  // namespace Atoll::trace::dbi
