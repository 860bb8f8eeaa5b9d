// Decodes prefixes and opcode as far as needed for the size of a vector operand: SSE to AVX2, the
// widest in qemu's -cpu max. Most opcodes access a full register; the tables list the others.
#include "record/emulator/vector_width.hpp"

namespace Atoll::record::dbi {
namespace {

/// Mandatory prefix, numbered as in VEX.pp.
enum Prefix : std::uint8_t { none, p66, pF3, pF2 };

struct Opcode {
  unsigned map = 0;  ///< 1: 0F, 2: 0F38, 3: 0F3A; 0: not a vector instruction
  Prefix prefix = none;
  std::uint8_t code = 0;
  bool vex = false;
  bool wide = false;  ///< VEX.L: 32-byte registers
};

Opcode decode(const std::uint8_t* code, std::size_t bytes, bool is_64_bit) {
  Opcode found;
  std::size_t at = 0;
  for (; at < bytes; ++at) {
    const std::uint8_t byte = code[at];
    if (byte == 0x66) {
      if (found.prefix == none) found.prefix = p66;
    } else if (byte == 0xF3 || byte == 0xF2) {
      found.prefix = byte == 0xF3 ? pF3 : pF2;
    } else if (byte != 0x2E && byte != 0x36 && byte != 0x3E && byte != 0x26 && byte != 0x64 &&
               byte != 0x65 && byte != 0x67 && byte != 0xF0) {
      break;
    }
  }
  if (is_64_bit && at < bytes && (code[at] & 0xF0) == 0x40) ++at;  // REX
  if (at + 2 >= bytes) return found;  // instructions decoded here have at least 3 bytes, with ModRM
  if (code[at] == 0x0F) {
    found.map = 1;
    ++at;
    if (code[at] == 0x38 || code[at] == 0x3A) found.map = code[at++] == 0x38 ? 2 : 3;
  } else if ((code[at] == 0xC5 || code[at] == 0xC4) && (is_64_bit || code[at + 1] >= 0xC0)) {
    const bool is_short = code[at] == 0xC5;
    found.map = is_short ? 1 : code[at + 1] & 0x1F;
    at += is_short ? 1 : 2;
    if (at + 1 >= bytes || found.map > 3) return {};
    found.vex = true;
    found.wide = (code[at] & 4) != 0;
    found.prefix = static_cast<Prefix>(code[at] & 3);
    ++at;
  }
  if (at >= bytes) return {};
  found.code = code[at];
  return found;
}

constexpr unsigned kHalf = 1;   ///< half a register
constexpr unsigned kFull = 2;   ///< a full register
constexpr unsigned kSmall = 3;  ///< at most 8 bytes, or no vector operand
constexpr unsigned k16 = 4;     ///< always 16 bytes

bool is_mmx_too(std::uint8_t code) {  // map 0F: uses 8-byte registers without a prefix
  return (code >= 0x60 && code <= 0x76) || code == 0x7F || code >= 0xD1;
}

unsigned of_0f(const Opcode& op) {
  const bool scalar = op.prefix == pF3 || op.prefix == pF2;
  switch (op.code) {
    case 0x10:
    case 0x11:
    case 0x2B:
    case 0x51:
    case 0x52:
    case 0x53:
    case 0x58:
    case 0x59:
    case 0x5C:
    case 0x5D:
    case 0x5E:
    case 0x5F:
    case 0xC2:
      return scalar ? kSmall : kFull;
    case 0x12:  // movlps, movlpd; movsldup; movddup
      return op.prefix == pF3 || (op.prefix == pF2 && op.wide) ? kFull : kSmall;
    case 0x16:  // movhps, movhpd; movshdup
      return op.prefix == pF3 ? kFull : kSmall;
    case 0x14:
    case 0x15:
    case 0x28:
    case 0x29:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0x5B:
    case 0x7C:
    case 0x7D:
    case 0xC6:
    case 0xD0:
      return kFull;
    case 0x2C:
    case 0x2D:  // convert to integers in 8-byte registers
      return op.prefix == p66 ? kFull : kSmall;
    case 0x5A:
      return scalar ? kSmall : op.prefix == p66 ? kFull : kHalf;
    case 0x6E:
    case 0xC4:
    case 0xC5:
    case 0xD6:
    case 0xD7:
    case 0xF7:
      return kSmall;
    case 0xE6:
      return op.prefix == pF3 ? kHalf : kFull;
    default:  // (also shifts, which use 16 bytes: the emulator reads a full register)
      return is_mmx_too(op.code) && op.prefix != none ? kFull : kSmall;
  }
}

unsigned of_0f38(const Opcode& op) {
  const std::uint8_t code = op.code;
  if (op.prefix != p66) return code >= 0xC8 && code <= 0xCD && !op.vex ? k16 : kSmall;  // SHA
  if (code >= 0x96 && code <= 0xBF)  // fused multiply-add: scalar ones have these low digits
    return (code & 0xF) < 6 || (code & 0xF) == 9 || (code & 0xF) == 0xB || (code & 0xF) == 0xD ||
                   (code & 0xF) == 0xF
               ? kSmall
               : kFull;
  switch (code) {
    case 0x13:  // from half precision (16 bits)
    case 0x20:
    case 0x23:
    case 0x25:  // sign and zero extension to twice the width
    case 0x30:
    case 0x33:
    case 0x35:  // wider extensions access at most 8 bytes
      return kHalf;
    case 0x1A:
    case 0x5A:
    case 0x41:
      return k16;
    default:
      return code <= 0x0B || (code >= 0x0E && code <= 0x0F) || code == 0x10 || code == 0x14 ||
                     code == 0x15 || code == 0x16 || code == 0x17 ||
                     (code >= 0x1C && code <= 0x1E) || (code >= 0x28 && code <= 0x2B) ||
                     (code >= 0x36 && code <= 0x40) || (code >= 0x45 && code <= 0x47) ||
                     (code >= 0xDB && code <= 0xDF)
                 ? kFull
                 : kSmall;
  }
}

unsigned of_0f3a(const Opcode& op) {
  const std::uint8_t code = op.code;
  if (op.prefix != p66) return code == 0xCC ? k16 : kSmall;
  if (code == 0x18 || code == 0x19 || code == 0x38 || code == 0x39 || code == 0x41 ||
      (code >= 0x60 && code <= 0x63) || code == 0xDF)
    return k16;
  if (code == 0x1D) return kHalf;
  return code <= 0x09 || (code >= 0x0C && code <= 0x0F) || code == 0x40 || code == 0x42 ||
                 code == 0x44 || code == 0x46 || (code >= 0x4A && code <= 0x4C)
             ? kFull
             : kSmall;
}

}  // namespace

unsigned vector_width(const std::uint8_t* code, std::size_t bytes, bool is_64_bit) {
  const Opcode op = decode(code, bytes, is_64_bit);
  const unsigned kind = op.map == 1   ? of_0f(op)
                        : op.map == 2 ? of_0f38(op)
                        : op.map == 3 ? of_0f3a(op)
                                      : kSmall;
  if (kind == kSmall) return 8;
  const unsigned full = op.wide ? 32 : 16;
  return kind == kFull ? full : kind == k16 ? 16 : full / 2;
}

}  // namespace Atoll::record::dbi
