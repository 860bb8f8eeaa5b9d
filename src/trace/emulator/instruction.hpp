// Tells which memory x86-64 instructions access, as far as their code tells: enough to know most
// accesses of a block from a few registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::trace::dbi {

/// The number of a general register; high numbers stand for none.
using Register = std::uint8_t;
inline constexpr Register kRsp = 4, kRbp = 5, kNoRegister = 16;

/// base + index * scale + displacement, from the segment's base.
struct Address {
  Register base = kNoRegister, index = kNoRegister;
  std::uint8_t scale = 1;
  std::uint8_t segment = 0;  ///< its prefix; 0: one that begins at 0
  std::int64_t displacement = 0;
};

struct Access {
  Address address;
  std::uint8_t bytes = 0;  ///< 1 to 32
  bool is_store = false;
};

struct Instruction {
  bool known = false;         ///< all below; else it may access and write anything
  std::uint8_t accesses = 0;  ///< of `access`: one, or a load and a store
  Access access[2];
  // What the instruction does to general registers after its accesses, in this order.
  std::int32_t stack_change = 0;                  ///< added to rsp
  Register to = kNoRegister, from = kNoRegister;  ///< `to` becomes `from` + `amount`
  std::int64_t amount = 0;
  std::uint16_t written = 0;  ///< bit i: register i gets an unknown value
  std::uint16_t read = 0;     ///< that value is made of these registers, and of what is loaded
  // For the time that it takes.
  bool divides = false;             ///< or takes a root
  bool computes_floats = false;     ///< as a step of a chain may
  Register float_to = kNoRegister;  ///< the vector register that gets a value
  std::uint16_t float_from = 0;     ///< which is made of these vector registers
};

/// Decodes the instruction of a 64-bit program of `bytes` bytes at `code`, which runs at `address`.
[[nodiscard]] Instruction decode_instruction(const std::uint8_t* code, std::size_t bytes,
                                             std::uint64_t address);

}  // namespace Atoll::trace::dbi
