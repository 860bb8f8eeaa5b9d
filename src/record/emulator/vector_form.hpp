// Operands of vector instructions, for instruction.cpp.
#pragma once

#include <cstdint>

namespace Atoll::record::dbi {

struct VectorOpcode {
  unsigned map;  ///< 1: 0F, 2: 0F38, 3: 0F3A
  std::uint8_t code;
  std::uint8_t repeat;  ///< prefix F2 or F3, or its VEX encoding
  bool narrow;          ///< prefix 66
  bool wide;            ///< REX.W
};

struct VectorForm {
  bool known = false;
  std::uint8_t bytes = 0;  ///< size of the memory operand, if there is one
  bool is_store = false;
  bool has_constant = false;  ///< an immediate byte at the end
  bool needs_registers = false;
  /// ModRM's reg (first) or rm (second) operand is a general register that the instruction writes.
  bool writes_first = false, writes_second = false;
};

/// `width` is the result of vector_width().
[[nodiscard]] VectorForm vector_form(const VectorOpcode& op, unsigned width);

}  // namespace Atoll::record::dbi
