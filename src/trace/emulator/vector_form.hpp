// Tells what vector instructions do with their operands, for instruction.cpp.
#pragma once

#include <cstdint>

namespace Atoll::trace::dbi {

struct VectorOpcode {
  unsigned map;  ///< 1: 0F, 2: 0F38, 3: 0F3A
  std::uint8_t code;
  std::uint8_t repeat;  ///< the prefix F2 or F3, or VEX's for it
  bool narrow;          ///< the prefix 66
  bool wide;            ///< REX.W
};

struct VectorForm {
  bool known = false;
  std::uint8_t bytes = 0;  ///< of the operand in memory, where one is
  bool is_store = false;
  bool has_constant = false;  ///< a byte at the end
  bool needs_registers = false;
  /// ModRM's operands are general registers that get another value.
  bool writes_first = false, writes_second = false;
};

/// `width` is vector_width()'s.
[[nodiscard]] VectorForm vector_form(const VectorOpcode& op, unsigned width);

}  // namespace Atoll::trace::dbi
