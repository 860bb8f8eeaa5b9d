// Decodes the instructions that compilers use most. All others are unknown, which only costs speed.
#include "record/emulator/instruction.hpp"

#include "record/emulator/encoding.hpp"
#include "record/emulator/vector_form.hpp"
#include "record/emulator/vector_width.hpp"

namespace Atoll::record::dbi {
namespace {

class Decoder : private Encoding {
 public:
  using Encoding::Encoding;

  Instruction decode() {
    if (!prefixes()) return {};
    found_.known = vex_ ? vector() : code_[at_] != 0x0F ? one_byte(code_[at_++]) : two_bytes();
    return found_.known && at_ == bytes_ ? found_ : Instruction{};
  }

 private:
  void access(const Address& address, std::uint8_t bytes, bool is_store) {
    found_.access[found_.accesses++] = {address, bytes, is_store};
  }
  void load(std::uint8_t bytes) {
    if (in_memory_) access(memory_, bytes, false);
  }
  void store(std::uint8_t bytes) {
    if (in_memory_) access(memory_, bytes, true);
  }
  /// Handles an operand of `bytes` bytes that is read and written.
  void change(std::uint8_t bytes) {
    load(bytes);
    store(bytes);
    if (in_memory_) return;
    write(rm_, bytes);
    reads(rm_);
  }
  bool push() {
    Address top;
    top.base = kRsp;
    top.displacement = -8;
    access(top, 8, true);
    found_.stack_change = -8;
    return true;
  }
  bool pop(std::int32_t more = 0) {
    Address top;
    top.base = kRsp;
    access(top, 8, false);
    found_.stack_change = 8 + more;
    return true;
  }
  void write(Register number, std::uint8_t bytes = 8) {
    if (bytes == 1 && rex_ == 0) number &= 3;  // ah is part of rax
    found_.written = static_cast<std::uint16_t>(found_.written | 1U << number);
  }
  void reads(Register number) {
    found_.read = static_cast<std::uint16_t>(found_.read | 1U << number);
  }
  void reads_operand() {
    if (!in_memory_) reads(rm_);
  }
  void copy(Register to, Register from, std::int64_t amount) {
    found_.to = to;
    found_.from = from;
    found_.amount = amount;
  }

  /// Decodes add, or, adc, sbb, and, sub, xor and cmp, by opcode, between a register and a register
  /// or memory.
  bool arithmetic(std::uint8_t op) {
    const std::uint8_t bytes = (op & 1) == 0 ? 1 : width();
    const bool compares = op >> 3 == 7;
    if ((op & 7) < 2) {
      operand(0);
      if (compares)
        load(bytes);
      else
        change(bytes);
      reads(reg_);
    } else if ((op & 7) < 4) {
      operand(0);
      load(bytes);
      if (!compares) write(reg_, bytes);
      reads(reg_);
      reads_operand();
    } else {
      immediate(bytes);
      if (!compares) write(0);
      reads(0);
    }
    const bool is_difference = op >> 3 == 5 || op >> 3 == 6;  // sub or xor of a register with
                                                              // itself is 0
    if (is_difference && (op & 7) < 4 && !in_memory_ && reg_ == rm_) found_.read = 0;
    return true;
  }

  bool arithmetic_with_constant(std::uint8_t op) {
    const std::uint8_t bytes = (op & 1) == 0 ? 1 : width();
    const std::uint8_t constant_bytes = op != 0x81 ? 1 : bytes == 2 ? 2 : 4;
    operand(constant_bytes);
    const std::int64_t value = immediate(constant_bytes);
    const unsigned kind = reg_ & 7;
    if (kind == 7)
      load(bytes);
    else if (!in_memory_ && bytes == 8 && (kind == 0 || kind == 5))
      copy(rm_, rm_, kind == 0 ? value : -value);
    else
      change(bytes);
    return true;
  }

  bool group_of_f6(std::uint8_t op) {
    const std::uint8_t bytes = op == 0xF6 ? 1 : width();
    const bool tests = at_ < bytes_ && (code_[at_] & 0x30) == 0;
    const std::uint8_t constant_bytes = !tests ? 0 : bytes == 1 ? 1 : bytes == 2 ? 2 : 4;
    operand(constant_bytes);
    at_ += constant_bytes;
    if (tests) {
      load(bytes);
    } else if ((reg_ & 7) < 4) {
      change(bytes);
    } else {
      load(bytes);
      write(0);
      if (bytes > 1) write(2);
      reads(0);
      reads_operand();
      found_.divides = (reg_ & 7) >= 6;
    }
    return true;
  }

  bool group_of_ff(std::uint8_t op) {
    const std::uint8_t bytes = op == 0xFE ? 1 : width();
    operand(0);
    switch (reg_ & 7) {
      case 0:
      case 1:
        if (!in_memory_ && bytes == 8)
          copy(rm_, rm_, (reg_ & 7) == 0 ? 1 : -1);
        else
          change(bytes);
        return true;
      case 2:
      case 6:
        if (bytes == 1 || narrow_) return false;
        load(8);
        push();
        return true;
      case 4:
        if (bytes == 1 || narrow_) return false;
        load(8);
        return true;
      default:
        return false;
    }
  }

  // The following functions decode whole instructions, starting at ModRM.
  bool loads(std::uint8_t bytes, std::uint8_t constant_bytes = 0) {
    operand(constant_bytes);
    at_ += constant_bytes;
    load(bytes);
    return true;
  }
  bool loads_into_register(std::uint8_t bytes, std::uint8_t constant_bytes = 0) {
    loads(bytes, constant_bytes);
    write(reg_);
    reads_operand();
    return true;
  }
  bool changes(std::uint8_t bytes, std::uint8_t constant_bytes = 0) {
    operand(constant_bytes);
    at_ += constant_bytes;
    change(bytes);
    return true;
  }
  /// Decodes mov. A 64-bit register-to-register mov is a copy.
  bool moves(std::uint8_t bytes, bool is_store) {
    operand(0);
    if (is_store)
      store(bytes);
    else
      load(bytes);
    if (!in_memory_ && bytes == 8)
      copy(is_store ? rm_ : reg_, is_store ? reg_ : rm_, 0);
    else if (!in_memory_ || !is_store)
      write(is_store ? rm_ : reg_, bytes);
    if (!in_memory_) reads(is_store ? reg_ : rm_);
    return true;
  }
  bool stores_constant(std::uint8_t bytes) {
    const std::uint8_t constant_bytes = bytes < 4 ? bytes : 4;
    operand(constant_bytes);
    at_ += constant_bytes;
    store(bytes);
    if (!in_memory_) write(rm_, bytes);
    return (reg_ & 7) == 0;
  }
  bool computes_address() {
    operand(0);
    if (wide() && memory_.base != kNoRegister && memory_.index == kNoRegister)
      copy(reg_, memory_.base, memory_.displacement);
    else
      write(reg_);
    if (memory_.base != kNoRegister) reads(memory_.base);
    if (memory_.index != kNoRegister) reads(memory_.index);
    return in_memory_;
  }
  bool leaves() {
    Address frame;
    frame.base = kRbp;
    access(frame, 8, false);
    copy(kRsp, kRbp, 8);
    write(kRbp);
    return true;
  }

  bool one_byte(std::uint8_t op) {
    if (op < 0x40 && (op & 7) < 6) return arithmetic(op);
    if (narrow_ && uses_stack(op)) return false;
    const auto number = static_cast<Register>((op & 7) | ((rex_ & 1) << 3));
    if (op >= 0x50 && op < 0x58) return push();
    if (op >= 0x58 && op < 0x60) {
      pop();
      write(number);
      return true;
    }
    if ((op >= 0x70 && op < 0x80) || op == 0xEB) return skip(1);  // jumps
    if (op >= 0xB0 && op < 0xC0) {
      write(number, op < 0xB8 ? 1 : 8);
      return skip(op < 0xB8 ? 1 : width());
    }
    const std::uint8_t bytes = (op & 1) == 0 ? 1 : width();
    switch (op) {
      case 0x63:
        return loads_into_register(4) && wide();
      case 0x68:
        return push() && skip(4);
      case 0x6A:
        return push() && skip(1);
      case 0x69:
        return loads_into_register(width(), narrow_ ? 2 : 4);
      case 0x6B:
        return loads_into_register(width(), 1);
      case 0x80:
      case 0x81:
      case 0x83:
        return arithmetic_with_constant(op);
      case 0x84:
      case 0x85:
        return loads(bytes);
      case 0x88:
      case 0x89:
        return moves(bytes, true);
      case 0x8A:
      case 0x8B:
        return moves(bytes, false);
      case 0x8D:
        return computes_address();
      case 0x90:
        return rex_ == 0;
      case 0x98:
        write(0);
        reads(0);
        return true;
      case 0x99:
        write(2);
        reads(0);
        return true;
      case 0xA8:
        return skip(1);
      case 0xA9:
        return skip(narrow_ ? 2 : 4);
      case 0xC0:
      case 0xC1:
        return changes(bytes, 1);
      case 0xD0:
      case 0xD1:
      case 0xD2:
      case 0xD3:
        return changes(bytes);
      case 0xC2:
        return pop(static_cast<std::uint16_t>(immediate<std::int16_t>()));
      case 0xC3:
        return pop();
      case 0xC6:
      case 0xC7:
        return stores_constant(bytes);
      case 0xC9:
        return leaves();
      case 0xE8:
        return push() && skip(4);
      case 0xE9:
        return !narrow_ && skip(4);
      case 0xF6:
      case 0xF7:
        return group_of_f6(op);
      case 0xFE:
      case 0xFF:
        return group_of_ff(op);
      default:
        return false;
    }
  }

  static bool uses_stack(std::uint8_t op) {
    return (op >= 0x50 && op < 0x60) || op == 0x68 || op == 0x6A || op == 0xC2 || op == 0xC3 ||
           op == 0xC9 || op == 0xE8;
  }

  bool two_bytes() {
    if (at_ + 1 >= bytes_) return false;
    const std::uint8_t op = code_[at_ + 1];
    if (op == 0x38 || op == 0x3A) return vector();
    const std::size_t opcode_at = at_;
    at_ += 2;
    if ((op & 0xF0) == 0x80) return !narrow_ && skip(4);  // jumps
    if ((op & 0xF0) == 0x40 || op == 0xAF || op == 0xBC || op == 0xBD) {
      loads_into_register(width());
      reads(reg_);
      return true;
    }
    if (op == 0xB6 || op == 0xBE) return loads_into_register(1);
    if (op == 0xB7 || op == 0xBF) return loads_into_register(2);
    if ((op & 0xF0) == 0x90) {
      operand(0);
      store(1);
      if (!in_memory_) write(rm_, 1);
      return true;
    }
    if (op >= 0xC8 && op < 0xD0) {  // bswap
      const auto number = static_cast<Register>((op & 7) | ((rex_ & 1) << 3));
      write(number);
      reads(number);
      return true;
    }
    if (op == 0x0D || op == 0x18 || op == 0x1E || op == 0x1F) {  // hints
      operand(0);
      return in_memory_ || op == 0x1E;
    }
    if (op == 0xBA) {  // bt, bts, btr, btc with an immediate
      const unsigned kind = at_ < bytes_ ? (code_[at_] >> 3) & 7 : 0;
      return kind == 4 ? loads(width(), 1) : kind > 4 && changes(width(), 1);
    }
    at_ = opcode_at;
    return vector();
  }

  /// Decodes an instruction, starting at its opcode or at the 0F before it.
  bool vector() {
    const unsigned width = vector_width(code_, bytes_, true);
    if (!vex_) {
      ++at_;
      map_ = 1;
      if (code_[at_] == 0x38 || code_[at_] == 0x3A) map_ = code_[at_++] == 0x38 ? 2 : 3;
    }
    if (at_ >= bytes_) return false;
    const std::uint8_t op = code_[at_++];
    if (map_ == 1 && op == 0x77) return vex_;  // vzeroupper
    const VectorForm form = vector_form({map_, op, repeat_, narrow_, wide()}, width);
    if (!form.known) return false;
    const std::size_t constant_bytes = form.has_constant ? 1 : 0;
    operand(constant_bytes);
    at_ += constant_bytes;
    if (form.needs_registers && in_memory_) return false;
    if (form.is_store)
      store(form.bytes);
    else
      load(form.bytes);
    if (form.writes_first) write(reg_);
    if (form.writes_second && !in_memory_) write(rm_);
    if (!form.is_store && !form.writes_first) floats(op, form.needs_registers);
    return true;
  }

  /// Sets the vector register that is written, and those that its value is computed from.
  void floats(std::uint8_t op, bool shifts) {
    const bool sums = map_ == 1 && op >= 0x58 && op <= 0x5F && op != 0x5A && op != 0x5B;
    const bool fused = map_ == 2 && op >= 0x96 && op <= 0xBF;
    const bool moves = map_ == 1 && (op == 0x10 || op == 0x28 || op == 0x6F || op == 0x7E);
    found_.computes_floats = sums || fused;
    found_.divides = map_ == 1 && (op == 0x5E || op == 0x51);
    found_.float_to = shifts ? rm_ : reg_;
    const auto from = [this](Register number) {
      if (number < 16)
        found_.float_from = static_cast<std::uint16_t>(found_.float_from | 1U << number);
    };
    if (!in_memory_) from(rm_);
    if (vex_ && second_ != kNoRegister && (sums || fused)) from(second_);
    if (fused || (!vex_ && !moves)) from(reg_);
    if (!vex_ && !in_memory_ && reg_ == rm_ && map_ == 1 && (op == 0x57 || op == 0xEF))
      found_.float_from = 0;  // zeroing idiom
  }

  Instruction found_;
};

}  // namespace

Instruction decode_instruction(const std::uint8_t* code, std::size_t bytes, std::uint64_t address) {
  return Decoder(code, bytes, address).decode();
}

}  // namespace Atoll::record::dbi
