// The decoder's results for every instruction of the most used libraries, compared with Zydis'
// descriptions. Instructions that it doesn't know only take longer.
#include <Zydis/Zydis.h>
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "record/emulator/instruction.hpp"

namespace Atoll::record::dbi {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint8_t> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Code {
  std::uint64_t address;
  const std::uint8_t* bytes;
  std::size_t size;
};

/// Returns the executable sections of a 64-bit library.
std::vector<Code> code_of(const std::vector<std::uint8_t>& file) {
  std::vector<Code> code;
  Elf64_Ehdr header;
  if (file.size() < sizeof header) return code;
  std::memcpy(&header, file.data(), sizeof header);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof section, sizeof section);
    if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_type == SHT_PROGBITS)
      code.push_back({section.sh_addr, file.data() + section.sh_offset, section.sh_size});
  }
  return code;
}

Register number_of(ZydisRegister name) {
  if (name == ZYDIS_REGISTER_NONE || name == ZYDIS_REGISTER_RIP) return kNoRegister;
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return kNoRegister;
  return static_cast<Register>(ZydisRegisterGetId(whole));
}

using Told = std::tuple<bool, int, int, int, int, int, std::int64_t>;

/// Returns the accesses, sorted. Each has: store or load, bytes, base, index, scale, segment,
/// displacement.
std::vector<Told> accesses_of(const Instruction& known) {
  std::vector<Told> all;
  for (std::size_t i = 0; i < known.accesses; ++i) {
    const MemoryOperand& one = known.access[i];
    const Address& at = one.address;
    all.emplace_back(one.is_store, one.bytes, at.base, at.index,
                     at.index == kNoRegister ? 1 : at.scale, at.segment, at.displacement);
  }
  std::ranges::sort(all);
  return all;
}

class Reference {
 public:
  Reference() { ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }

  bool decode(const std::uint8_t* code, std::size_t bytes, std::uint64_t address) {
    address_ = address;
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code, bytes, &instruction, operands_));
  }

  [[nodiscard]] std::vector<Told> accesses() const {
    std::vector<Told> all;
    const ZydisInstructionCategory category = instruction.meta.category;
    if (category == ZYDIS_CATEGORY_WIDENOP || category == ZYDIS_CATEGORY_PREFETCH) return all;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
      const ZydisDecodedOperand& operand = operands_[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type != ZYDIS_MEMOP_TYPE_MEM)
        continue;
      std::int64_t displacement = operand.mem.disp.value;
      if (operand.mem.base == ZYDIS_REGISTER_RIP)
        displacement += static_cast<std::int64_t>(address_ + instruction.length);
      // Zydis reports the stack pointer as the base of a push, which writes below it.
      const bool pushed = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
                          (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0 &&
                          operand.mem.base == ZYDIS_REGISTER_RSP;
      if (pushed) displacement -= operand.size / 8;
      const int segment = operand.mem.segment == ZYDIS_REGISTER_FS   ? 0x64
                          : operand.mem.segment == ZYDIS_REGISTER_GS ? 0x65
                                                                     : 0;
      const auto add = [&](bool is_store) {
        all.emplace_back(is_store, operand.size / 8, number_of(operand.mem.base),
                         number_of(operand.mem.index),
                         operand.mem.index == ZYDIS_REGISTER_NONE ? 1 : operand.mem.scale, segment,
                         displacement);
      };
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) add(false);
      if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) add(true);
    }
    std::ranges::sort(all);
    return all;
  }

  /// Returns the general registers that the instruction may change.
  [[nodiscard]] unsigned written() const {
    unsigned registers = 0;
    for (unsigned i = 0; i < instruction.operand_count; ++i) {
      const ZydisDecodedOperand& operand = operands_[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER ||
          (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0)
        continue;
      if (const Register number = number_of(operand.reg.value); number != kNoRegister)
        registers |= 1U << number;
    }
    return registers;
  }

  /// Returns true if the instruction is equivalent to "to = from + amount".
  [[nodiscard]] bool copies(Register to, Register from, std::int64_t amount) const {
    const ZydisDecodedOperand &first = operands_[0], &second = operands_[1];
    const auto is = [](const ZydisDecodedOperand& operand, Register number) {
      return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.size == 64 &&
             number_of(operand.reg.value) == number;
    };
    switch (instruction.mnemonic) {
      case ZYDIS_MNEMONIC_MOV:
        return is(first, to) && is(second, from) && amount == 0;
      case ZYDIS_MNEMONIC_LEA:
        return is(first, to) && number_of(second.mem.base) == from &&
               second.mem.index == ZYDIS_REGISTER_NONE && second.mem.disp.value == amount;
      case ZYDIS_MNEMONIC_ADD:
      case ZYDIS_MNEMONIC_SUB:
        return is(first, to) && to == from && second.type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
               amount == (instruction.mnemonic == ZYDIS_MNEMONIC_ADD ? second.imm.value.s
                                                                     : -second.imm.value.s);
      case ZYDIS_MNEMONIC_INC:
      case ZYDIS_MNEMONIC_DEC:
        return is(first, to) && to == from &&
               amount == (instruction.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1);
      case ZYDIS_MNEMONIC_LEAVE:
        return to == kRsp && from == kRbp && amount == 8;
      default:
        return false;
    }
  }

  /// Returns the change of rsp by the instruction's pushes and pops.
  [[nodiscard]] std::int64_t stack_change() const {
    switch (instruction.mnemonic) {
      case ZYDIS_MNEMONIC_PUSH:
      case ZYDIS_MNEMONIC_PUSHFQ:
      case ZYDIS_MNEMONIC_CALL:
        return -8;
      case ZYDIS_MNEMONIC_POP:
      case ZYDIS_MNEMONIC_POPFQ:
        return 8;
      case ZYDIS_MNEMONIC_RET:
        return 8 + (operands_[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE
                        ? static_cast<std::int64_t>(operands_[0].imm.value.u)
                        : 0);
      default:
        return 0;
    }
  }

  ZydisDecodedInstruction instruction;

 private:
  ZydisDecoder decoder_;
  ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT];
  std::uint64_t address_ = 0;
};

/// Returns the first property that the decoder reports wrongly; empty if all are correct.
std::string mistake(const Instruction& known, const Reference& truth) {
  if (accesses_of(known) != truth.accesses()) return "accesses";
  if (known.stack_change != truth.stack_change()) return "stack_change";
  unsigned written = known.written;
  if (known.stack_change != 0) written |= 1U << kRsp;
  if (known.to != kNoRegister) {
    if (!truth.copies(known.to, known.from, known.amount)) return "copy";
    written |= 1U << known.to;
  }
  if ((truth.written() & ~written) != 0) return "a register that is written";
  if ((written & ~truth.written()) != 0) return "a register that isn't written";
  return "";
}

std::string in_words(const Reference& truth, const std::uint8_t* code, std::uint64_t address) {
  char text[256] = "";
  ZydisDisassembledInstruction whole;
  if (ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address, code,
                                         truth.instruction.length, &whole)))
    std::snprintf(text, sizeof text, "%s", whole.text);
  std::string bytes;
  for (unsigned i = 0; i < truth.instruction.length; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x ", code[i]);
    bytes += byte;
  }
  return bytes + text;
}

class DbiAgainstZydis : public testing::TestWithParam<const char*> {};

TEST_P(DbiAgainstZydis, AllThatIsKnownIsRight) {
  fs::path library;
  for (const auto& entry : fs::recursive_directory_iterator(
           "/usr/lib/x86_64-linux-gnu", fs::directory_options::skip_permission_denied))
    if (entry.path().filename() == GetParam() && library.empty()) library = entry.path();
  ASSERT_FALSE(library.empty()) << GetParam() << " isn't installed: tools/install-deps check";
  const std::vector<std::uint8_t> file = contents(library);
  Reference truth;
  std::size_t instructions = 0, known_ones = 0;
  std::map<std::string, std::string> mistakes;  // first example, by property and mnemonic
  for (const Code& code : code_of(file))
    for (std::size_t at = 0; at < code.size;) {
      const std::uint64_t address = code.address + at;
      if (!truth.decode(code.bytes + at, code.size - at, address)) {
        ++at;
        continue;
      }
      ++instructions;
      const Instruction known =
          decode_instruction(code.bytes + at, truth.instruction.length, address, true);
      if (known.known) {
        ++known_ones;
        if (const std::string what = mistake(known, truth); !what.empty())
          mistakes.try_emplace(what + " of " + ZydisMnemonicGetString(truth.instruction.mnemonic),
                               in_words(truth, code.bytes + at, address));
      }
      at += truth.instruction.length;
    }
  for (const auto& [what, where] : mistakes) ADD_FAILURE() << what << ": " << where;
  EXPECT_GT(instructions, 100'000U);
  EXPECT_GT(static_cast<double>(known_ones), 0.9 * static_cast<double>(instructions));
  RecordProperty("instructions", static_cast<int>(instructions));
  RecordProperty("known", static_cast<int>(known_ones));
}

INSTANTIATE_TEST_SUITE_P(Libraries, DbiAgainstZydis,
                         testing::Values("libc.so.6", "libstdc++.so.6", "libsqlite3.so.0",
                                         "libopenblas.so.0", "libcrypto.so.3"));

}  // namespace
}  // namespace Atoll::record::dbi
