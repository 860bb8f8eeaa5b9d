// Takes the accesses and effects of an instruction from its description by Zydis. Instructions of
// kinds that is_modelled() doesn't list are unknown, which only costs speed.
#include "record/emulator/instruction.hpp"

#include <Zydis/Zydis.h>

#include <initializer_list>

namespace Atoll::record::dbi {
namespace {

/// Returns the position of a register after `first`, or kNoRegister if it isn't up to `last`.
constexpr Register number_in(ZydisRegister name, unsigned first, unsigned last) {
  return name < first || name > last ? kNoRegister : static_cast<Register>(name - first);
}

/// Returns the number of a general register of any width, or kNoRegister.
constexpr Register general(ZydisRegister name) {
  if (name >= ZYDIS_REGISTER_RAX) return number_in(name, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15);
  if (name >= ZYDIS_REGISTER_EAX) return number_in(name, ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D);
  if (name >= ZYDIS_REGISTER_AX) return number_in(name, ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W);
  if (name >= ZYDIS_REGISTER_SPL)
    return number_in(name, ZYDIS_REGISTER_SPL - 4, ZYDIS_REGISTER_R15B);
  return name >= ZYDIS_REGISTER_AH ? number_in(name, ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH)
                                   : number_in(name, ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BL);
}

/// Returns the number of a vector register of 16 or 32 bytes, or kNoRegister.
constexpr Register vector(ZydisRegister name) {
  return name >= ZYDIS_REGISTER_YMM0 ? number_in(name, ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM15)
                                     : number_in(name, ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM15);
}

constexpr unsigned kReads = ZYDIS_OPERAND_ACTION_MASK_READ;
constexpr unsigned kWrites = ZYDIS_OPERAND_ACTION_MASK_WRITE;
constexpr unsigned kConditional = ZYDIS_OPERAND_ACTION_CONDREAD | ZYDIS_OPERAND_ACTION_CONDWRITE;

/// True for hints, and for jumps to fixed addresses, whose operands aren't decoded.
bool has_no_effects(const ZydisDecodedInstruction& instruction) {
  switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_WIDENOP:
      return true;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
      return instruction.raw.imm[0].is_relative && (instruction.opcode & 0xFC) != 0xE0 &&  // loop
             instruction.mnemonic != ZYDIS_MNEMONIC_XBEGIN;
    default:
      return instruction.mnemonic == ZYDIS_MNEMONIC_ENDBR64 ||
             instruction.mnemonic == ZYDIS_MNEMONIC_PAUSE;
  }
}

/// True if a mask selects the bytes that are accessed, which Zydis doesn't report.
bool is_masked(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
      return true;
    default:
      return false;
  }
}

/// Fills in `found` from Zydis' description of an instruction.
class Translation {
 public:
  Translation(const ZydisDecodedInstruction& from, const ZydisDecodedOperand* operands,
              std::uint64_t address, Instruction& found)
      : from_(from), operands_(operands), next_address_(address + from.length), found_(found) {}

  void run() {
    found_.is_atomic =
        (from_.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
        (from_.mnemonic == ZYDIS_MNEMONIC_XCHG && (operands_[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                                                   operands_[1].type == ZYDIS_OPERAND_TYPE_MEMORY));
    found_.vector_bytes = vector_bytes();
    found_.known = is_modelled() && accesses_and_registers();
    if (found_.known) return;
    Instruction unknown;
    unknown.is_atomic = found_.is_atomic;
    unknown.vector_bytes = found_.vector_bytes;
    found_ = unknown;
  }

 private:
  [[nodiscard]] bool is_modelled() const;
  [[nodiscard]] std::uint8_t vector_bytes() const;
  bool accesses_and_registers();
  bool memory(const ZydisDecodedOperand& operand);
  bool register_use(const ZydisDecodedOperand& operand);
  bool stack();
  void copies();
  void floats();

  static void add(std::uint16_t& set, Register number) {
    set = static_cast<std::uint16_t>(set | 1U << number);
  }

  const ZydisDecodedInstruction& from_;
  const ZydisDecodedOperand* operands_;
  std::uint64_t next_address_;
  Instruction& found_;
};

bool Translation::is_modelled() const {
  if (from_.machine_mode != ZYDIS_MACHINE_MODE_LONG_64 || from_.address_width != 64 ||
      from_.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX || found_.is_atomic ||
      is_masked(from_.mnemonic) || from_.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
    return false;
  switch (from_.meta.category) {
    case ZYDIS_CATEGORY_AES:
    case ZYDIS_CATEGORY_AVX:
    case ZYDIS_CATEGORY_AVX2:
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_BROADCAST:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_DATAXFER:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_LOGICAL_FP:
    case ZYDIS_CATEGORY_LZCNT:
    case ZYDIS_CATEGORY_PCLMULQDQ:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_SHA:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_SSE:
    case ZYDIS_CATEGORY_STTNI:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_VFMA:
      return true;
    case ZYDIS_CATEGORY_BITBYTE:  // a bit's number in a register changes the address
      return !(operands_[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
               operands_[1].type == ZYDIS_OPERAND_TYPE_REGISTER);
    default:
      return from_.mnemonic == ZYDIS_MNEMONIC_LEA || from_.mnemonic == ZYDIS_MNEMONIC_LEAVE;
  }
}

std::uint8_t Translation::vector_bytes() const {
  unsigned access = 0, widest = 0;  // bits
  for (unsigned i = 0; i < from_.operand_count_visible; ++i) {
    const ZydisDecodedOperand& operand = operands_[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_MEM &&
        (operand.actions & kConditional) == 0)
      access = operand.size;
    else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.size > widest &&
             vector(operand.reg.value) != kNoRegister)
      widest = operand.size;
  }
  if (widest == 0 || (access != 128 && access != 256) || is_masked(from_.mnemonic)) return 8;
  switch (from_.mnemonic) {
    case ZYDIS_MNEMONIC_VPSLLW:
    case ZYDIS_MNEMONIC_VPSLLD:
    case ZYDIS_MNEMONIC_VPSLLQ:
    case ZYDIS_MNEMONIC_VPSRLW:
    case ZYDIS_MNEMONIC_VPSRLD:
    case ZYDIS_MNEMONIC_VPSRLQ:
    case ZYDIS_MNEMONIC_VPSRAW:
    case ZYDIS_MNEMONIC_VPSRAD:  // the emulator reads a full register
      return static_cast<std::uint8_t>(widest / 8);
    default:
      return static_cast<std::uint8_t>(access / 8);
  }
}

bool Translation::memory(const ZydisDecodedOperand& operand) {
  const auto& memory = operand.mem;
  if (memory.type == ZYDIS_MEMOP_TYPE_AGEN) {  // lea
    if (memory.base != ZYDIS_REGISTER_NONE && memory.base != ZYDIS_REGISTER_RIP)
      add(found_.read, general(memory.base));
    if (memory.index != ZYDIS_REGISTER_NONE) add(found_.read, general(memory.index));
    return true;
  }
  const unsigned bytes = operand.size / 8;
  if (memory.type != ZYDIS_MEMOP_TYPE_MEM || (operand.actions & kConditional) != 0 || bytes == 0 ||
      bytes > 32 || (bytes & (bytes - 1)) != 0)
    return false;
  MemoryOperand access;
  access.bytes = static_cast<std::uint8_t>(bytes);
  Address& address = access.address;
  address.displacement = memory.disp.value;
  if (memory.base == ZYDIS_REGISTER_RIP)
    address.displacement += static_cast<std::int64_t>(next_address_);
  else
    address.base = general(memory.base);
  address.index = general(memory.index);
  if (address.index != kNoRegister) address.scale = memory.scale;
  address.segment = memory.segment == ZYDIS_REGISTER_FS   ? 0x64
                    : memory.segment == ZYDIS_REGISTER_GS ? 0x65
                                                          : 0;
  for (const bool is_store : {false, true}) {
    if ((operand.actions & (is_store ? kWrites : kReads)) == 0) continue;
    if (found_.accesses == 2) return false;
    access.is_store = is_store;
    found_.access[found_.accesses++] = access;
  }
  return true;
}

bool Translation::register_use(const ZydisDecodedOperand& operand) {
  const ZydisRegister name = operand.reg.value;
  if (const Register number = general(name); number != kNoRegister) {
    if (number == kRsp && operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) return true;
    if ((operand.actions & kWrites) != 0) add(found_.written, number);
    if ((operand.actions & (kReads | ZYDIS_OPERAND_ACTION_CONDWRITE)) != 0)
      add(found_.read, number);
    return true;
  }
  if (const Register number = vector(name); number != kNoRegister) {
    if ((operand.actions & kWrites) != 0) found_.float_to = number;
    if ((operand.actions & (kReads | ZYDIS_OPERAND_ACTION_CONDWRITE)) != 0)
      add(found_.float_from, number);
    return true;
  }
  return name == ZYDIS_REGISTER_RFLAGS || name == ZYDIS_REGISTER_RIP ||
         name == ZYDIS_REGISTER_MXCSR;
}

/// Sets the change of rsp, and the addresses of the accesses to the stack.
bool Translation::stack() {
  const unsigned category = from_.meta.category;
  const bool pushes = category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_CALL;
  if (!pushes && category != ZYDIS_CATEGORY_POP && category != ZYDIS_CATEGORY_RET) return true;
  if (found_.accesses == 0 || (!pushes && found_.accesses != 1)) return false;
  MemoryOperand& top = found_.access[found_.accesses - 1];
  if (top.bytes != 8) return false;
  found_.stack_change = pushes ? -8 : 8;
  if (pushes) top.address.displacement = -8;
  if (from_.mnemonic == ZYDIS_MNEMONIC_RET && operands_[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
    found_.stack_change += static_cast<std::int32_t>(operands_[0].imm.value.u);
  return true;
}

/// Finds "to = from + amount".
void Translation::copies() {
  const ZydisDecodedOperand &first = operands_[0], &second = operands_[1];
  const auto copy = [this](Register to, Register from, std::int64_t amount) {
    found_.to = to;
    found_.from = from;
    found_.amount = amount;
    found_.written = static_cast<std::uint16_t>(found_.written & ~(1U << to));
  };
  if (from_.mnemonic == ZYDIS_MNEMONIC_LEAVE) return copy(kRsp, kRbp, 8);
  if (first.type != ZYDIS_OPERAND_TYPE_REGISTER) return;
  const Register to = general(first.reg.value);
  if (to == kNoRegister) return;
  const bool same =
      second.type == ZYDIS_OPERAND_TYPE_REGISTER && second.reg.value == first.reg.value;
  const bool constant = second.type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  switch (from_.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
      if (same) found_.read = 0;
      return;
    case ZYDIS_MNEMONIC_SUB:
      if (same) found_.read = 0;
      if (first.size == 64 && constant) copy(to, to, -second.imm.value.s);
      return;
    case ZYDIS_MNEMONIC_ADD:
      if (first.size == 64 && constant) copy(to, to, second.imm.value.s);
      return;
    case ZYDIS_MNEMONIC_INC:
      if (first.size == 64) copy(to, to, 1);
      return;
    case ZYDIS_MNEMONIC_DEC:
      if (first.size == 64) copy(to, to, -1);
      return;
    case ZYDIS_MNEMONIC_MOV:
      if (first.size == 64 && second.type == ZYDIS_OPERAND_TYPE_REGISTER)
        copy(to, general(second.reg.value), 0);
      return;
    case ZYDIS_MNEMONIC_LEA:
      if (first.size == 64 && general(second.mem.base) != kNoRegister &&
          second.mem.index == ZYDIS_REGISTER_NONE)
        copy(to, general(second.mem.base), second.mem.disp.value);
      return;
    default:
      return;
  }
}

/// Finds steps of chains of floating-point operations, and divisions.
void Translation::floats() {
  const bool to_vector = from_.opcode_map == ZYDIS_OPCODE_MAP_0F && found_.float_to != kNoRegister;
  const std::uint8_t op = from_.opcode;
  const bool sums = op >= 0x58 && op <= 0x5F && op != 0x5A && op != 0x5B;  // not conversions
  found_.computes_floats = (to_vector && sums) || from_.meta.category == ZYDIS_CATEGORY_VFMA;
  found_.divides = (to_vector && (op == 0x5E || op == 0x51)) ||
                   from_.mnemonic == ZYDIS_MNEMONIC_DIV || from_.mnemonic == ZYDIS_MNEMONIC_IDIV;
  const bool is_xor = to_vector && (op == 0x57 || op == 0xEF);
  const bool from_one = (found_.float_from & (found_.float_from - 1)) == 0;
  if (is_xor && from_one && found_.accesses == 0) found_.float_from = 0;
}

bool Translation::accesses_and_registers() {
  for (unsigned i = 0; i < from_.operand_count; ++i) {
    const ZydisDecodedOperand& operand = operands_[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && !memory(operand)) return false;
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && !register_use(operand)) return false;
  }
  if (found_.accesses == 2 && found_.access[0].is_store == found_.access[1].is_store) return false;
  if (!stack()) return false;
  copies();
  floats();
  return true;
}

ZydisDecoder decoder_for(ZydisMachineMode mode, ZydisStackWidth stack) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, mode, stack);
  return decoder;
}

const ZydisDecoder decoder_64 = decoder_for(ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
const ZydisDecoder decoder_32 = decoder_for(ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);

}  // namespace

Instruction decode_instruction(const std::uint8_t* code, std::size_t bytes, std::uint64_t address,
                               bool is_64_bit) {
  const ZydisDecoder& decoder = is_64_bit ? decoder_64 : decoder_32;
  ZydisDecodedInstruction instruction;
  ZydisDecoderContext context;
  Instruction found;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, code, bytes, &instruction)) ||
      instruction.length != bytes)
    return found;
  if (has_no_effects(instruction)) {
    found.known = is_64_bit;
    return found;
  }
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  operands[0].type = operands[1].type = ZYDIS_OPERAND_TYPE_UNUSED;  // there may be fewer
  if (ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, &instruction, operands,
                                              instruction.operand_count)))
    Translation(instruction, operands, address, found).run();
  return found;
}

}  // namespace Atoll::record::dbi
