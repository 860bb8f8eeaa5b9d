// Covers instructions from SSE to AVX2 that compilers use. Known ones write no general registers,
// except those with writes_first or writes_second.
#include "record/emulator/vector_form.hpp"

namespace Atoll::record::dbi {
namespace {

VectorForm of(unsigned bytes, bool is_store = false) {
  VectorForm form;
  form.known = true;
  form.bytes = static_cast<std::uint8_t>(bytes);
  form.is_store = is_store;
  return form;
}

/// Returns the form of an instruction with a full-width vector operand.
VectorForm full(unsigned width, bool is_store = false) {
  return width == 8 ? VectorForm{} : of(width, is_store);
}

VectorForm with_constant(VectorForm form) {
  form.has_constant = true;
  return form;
}

VectorForm of_registers(bool has_constant, bool writes_first) {
  VectorForm form = of(0);
  form.needs_registers = true;
  form.has_constant = has_constant;
  form.writes_first = writes_first;
  return form;
}

VectorForm of_0f(const VectorOpcode& op, unsigned width) {
  const bool is_scalar = op.repeat != 0;
  const unsigned scalar = op.repeat == 0xF3 ? 4 : 8, general = op.wide ? 8 : 4;
  switch (op.code) {
    case 0x10:
    case 0x11:
      return is_scalar ? of(scalar, op.code == 0x11) : full(width, op.code == 0x11);
    case 0x51:
    case 0x58:
    case 0x59:
    case 0x5C:
    case 0x5D:
    case 0x5E:
    case 0x5F:
      return is_scalar ? of(scalar) : full(width);
    case 0xC2:
      return with_constant(is_scalar ? of(scalar) : full(width));
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x17:
      return is_scalar ? VectorForm{} : of(8, (op.code & 1) != 0);
    case 0x2A:
      return is_scalar ? of(general) : VectorForm{};
    case 0x2C:
    case 0x2D: {
      VectorForm form = of(scalar);
      form.writes_first = true;
      return is_scalar ? form : VectorForm{};
    }
    case 0x2E:
    case 0x2F:
      return of(op.narrow ? 8 : 4);
    case 0x50:
    case 0xD7:
      return of_registers(false, true);
    case 0x5A:
      return is_scalar ? of(scalar) : VectorForm{};
    case 0x6E:
      return op.narrow ? of(general) : VectorForm{};
    case 0x70:
    case 0xC6:
      return with_constant(full(width));
    case 0x71:
    case 0x72:
    case 0x73:
      return of_registers(true, false);
    case 0x7E: {
      VectorForm form = of(general, true);
      form.writes_second = true;
      return op.repeat == 0xF3 ? of(8) : op.narrow ? form : VectorForm{};
    }
    case 0xD6:
      return op.narrow ? of(8, true) : VectorForm{};
    case 0x2B:  // with prefix F2 or F3 (SSE4a): a scalar
      return is_scalar ? of(scalar, true) : full(width, true);
    case 0x29:
    case 0x7F:
    case 0xE7:
      return full(width, true);
    case 0x14:
    case 0x15:
    case 0x28:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0x5B:
      return full(width);
    case 0xE6:
    case 0xF0:
    case 0xF7:
      return {};
    default:  // integer vectors
      return (op.code >= 0x60 && op.code < 0x77) || op.code > 0xD0 ? full(width) : VectorForm{};
  }
}

}  // namespace

VectorForm vector_form(const VectorOpcode& op, unsigned width) {
  const std::uint8_t code = op.code;
  if (op.map == 1) return of_0f(op, width);
  const bool fused = op.map == 2 && code >= 0x96 && code <= 0xBF;
  if (fused && (code & 1) != 0 && (code & 15) >= 9) return of(op.wide ? 8 : 4);  // scalar ones
  if (op.map == 2 && (code <= 0x0B || (code >= 0x1C && code <= 0x1E) ||
                      (code >= 0x37 && code <= 0x40) || (code >= 0x96 && code <= 0xBF)))
    return full(width);
  if (op.map == 3 && (code == 0x0F || code == 0x44)) return with_constant(full(width));
  return {};
}

}  // namespace Atoll::record::dbi
