// Decodes instructions of the guest during translation. Results are kept, because programs repeat
// instructions and Zydis takes about 0.2 us for each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/emulator/instruction.hpp"
#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {

/// Bytes of an instruction, then zeros. The last byte is their number.
struct InstructionBytes {
  std::uint64_t words[2] = {};
  friend bool operator==(const InstructionBytes&, const InstructionBytes&) = default;
};

/// Decodes the instructions of a block in order.
class BlockDecoder {
 public:
  explicit BlockDecoder(const qemu_plugin_tb* block);
  /// Decodes the next instruction. The result is valid until another instruction is decoded.
  const Instruction& next();

 private:
  void look_ahead();

  const qemu_plugin_tb* block_;
  std::size_t count_, at_ = 0;
  InstructionBytes bytes_;  ///< the next instruction's
};

/// Decodes one instruction. The result is valid until another instruction is decoded.
const Instruction& decode(const qemu_plugin_insn* instruction);

}  // namespace Atoll::record::dbi
