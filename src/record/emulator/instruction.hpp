// Decodes the memory accesses of x86-64 instructions and their effects on registers. This suffices
// to compute most addresses of a block from a few registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::record::dbi {

/// Number of a general register, or kNoRegister.
using Register = std::uint8_t;
inline constexpr Register kRsp = 4, kRbp = 5, kNoRegister = 16;

/// base + index * scale + displacement, relative to the segment's base.
struct Address {
  Register base = kNoRegister, index = kNoRegister;
  std::uint8_t scale = 1;
  std::uint8_t segment = 0;  ///< prefix byte of the segment; 0: a segment with base 0
  std::int64_t displacement = 0;
};

struct MemoryOperand {
  Address address;
  std::uint8_t bytes = 0;  ///< 1 to 32
  bool is_store = false;
};

struct Instruction {
  bool known = false;         ///< the members below are valid; else it may access and write
                              ///< anything
  std::uint8_t accesses = 0;  ///< size of `access`: one access, or a load and a store
  MemoryOperand access[2];
  // Effects on general registers after the accesses, in this order.
  std::int32_t stack_change = 0;                  ///< added to rsp
  Register to = kNoRegister, from = kNoRegister;  ///< `to` becomes `from` + `amount`
  std::int64_t amount = 0;
  std::uint16_t written = 0;  ///< bit i: register i is set to an unknown value
  std::uint16_t read = 0;     ///< registers that this value is computed from, besides loads
  // Properties that affect the execution time.
  bool divides = false;             ///< divides, or computes a square root
  bool computes_floats = false;     ///< may be a step of a chain of operations
  Register float_to = kNoRegister;  ///< the vector register that is written
  std::uint16_t float_from = 0;     ///< vector registers that its value is computed from
  // The following members are valid if `known` is false, too.
  bool is_atomic = false;         ///< it accesses memory and has a lock prefix, or is xchg
  std::uint8_t vector_bytes = 8;  ///< size of a vector access (16 or 32), which the emulator splits
                                  ///< into parts of 8 bytes; else 8
};

/// Decodes the instruction of `bytes` bytes at `code`, which runs at `address`. Those of 32-bit
/// programs are never known.
[[nodiscard]] Instruction decode_instruction(const std::uint8_t* code, std::size_t bytes,
                                             std::uint64_t address, bool is_64_bit);

}  // namespace Atoll::record::dbi
