// Accesses and effects of single instructions, as the processor's manual defines them. The bytes
// are as(1)'s.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "record/emulator/instruction.hpp"

namespace Atoll::record::dbi {
namespace {

enum : unsigned { kRax = 1, kRcx = 2, kRdx = 4 };
enum : unsigned { kXmm1 = 2, kXmm2 = 4, kXmm3 = 8 };

struct Row {
  const char* text;
  std::vector<std::uint8_t> code;
  unsigned load = 0, store = 0;  ///< bytes
  unsigned written = 0, read = 0;
  std::int32_t stack_change = 0;
};

Instruction decoded(const std::vector<std::uint8_t>& code) {
  return decode_instruction(code.data(), code.size(), 0x1000, true);
}

TEST(DbiInstruction, AccessesMemoryAndRegisters) {
  const Row rows[] = {{"mov al, [rdi]", {0x8a, 0x07}, 1, 0, kRax},
                      {"movzx eax, word [rdi+2]", {0x0f, 0xb7, 0x47, 0x02}, 2, 0, kRax},
                      {"mov [rdi], r12b", {0x44, 0x88, 0x27}, 0, 1},
                      {"add [rdi], ax", {0x66, 0x01, 0x07}, 2, 2},
                      {"cmp dword [rdi], 1", {0x83, 0x3f, 0x01}, 4, 0},
                      {"test [rdi], rax", {0x48, 0x85, 0x07}, 8, 0},
                      {"sete [rdi]", {0x0f, 0x94, 0x07}, 0, 1},
                      {"cmovne rax, [rdi]", {0x48, 0x0f, 0x45, 0x07}, 8, 0, kRax, kRax},
                      {"xchg rcx, rax", {0x48, 0x91}, 0, 0, kRax | kRcx, kRax | kRcx},
                      {"bts dword [rdi], 3", {0x0f, 0xba, 0x2f, 0x03}, 4, 4},
                      {"imul rax, [rdi], 3", {0x48, 0x6b, 0x07, 0x03}, 8, 0, kRax},
                      {"mul rcx", {0x48, 0xf7, 0xe1}, 0, 0, kRax | kRdx, kRax | kRcx},
                      {"div dword [rdi]", {0xf7, 0x37}, 4, 0, kRax | kRdx, kRax | kRdx},
                      {"cqo", {0x48, 0x99}, 0, 0, kRdx, kRax},
                      {"shl rax, cl", {0x48, 0xd3, 0xe0}, 0, 0, kRax, kRax | kRcx},
                      {"mov cl, ah", {0x88, 0xe1}, 0, 0, kRcx, kRax},
                      {"xor eax, eax", {0x31, 0xc0}, 0, 0, kRax},
                      {"push [rdi+8]", {0xff, 0x77, 0x08}, 8, 8, 0, 0, -8},
                      {"call [rdi]", {0xff, 0x17}, 8, 8, 0, 0, -8},
                      {"ret 16", {0xc2, 0x10, 0x00}, 8, 0, 0, 0, 24},
                      {"pop rax", {0x58}, 8, 0, kRax, 0, 8},
                      {"loop", {0xe2, 0xfe}, 0, 0, kRcx, kRcx},
                      {"jne", {0x75, 0x62}},
                      {"pause", {0xf3, 0x90}},
                      {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}},
                      {"prefetcht0 [rdi]", {0x0f, 0x18, 0x0f}},
                      {"vzeroupper", {0xc5, 0xf8, 0x77}},
                      {"shlx rax, [rdi], rcx", {0xc4, 0xe2, 0xf1, 0xf7, 0x07}, 8, 0, kRax, kRcx},
                      {"cvttsd2si rax, [rdi]", {0xf2, 0x48, 0x0f, 0x2c, 0x07}, 8, 0, kRax},
                      {"movsd [rdi], xmm1", {0xf2, 0x0f, 0x11, 0x0f}, 0, 8},
                      {"movhpd xmm1, [rdi]", {0x66, 0x0f, 0x16, 0x0f}, 8, 0},
                      {"cvtps2pd xmm1, [rdi]", {0x0f, 0x5a, 0x0f}, 8, 0},
                      {"pinsrb xmm1, [rdi], 1", {0x66, 0x0f, 0x3a, 0x20, 0x0f, 0x01}, 1, 0},
                      {"pextrw [rdi], xmm1, 1", {0x66, 0x0f, 0x3a, 0x15, 0x0f, 0x01}, 0, 2},
                      {"pshufb xmm1, [rdi]", {0x66, 0x0f, 0x38, 0x00, 0x0f}, 16, 0},
                      {"vbroadcastss ymm1, [rdi]", {0xc4, 0xe2, 0x7d, 0x18, 0x0f}, 4, 0},
                      {"vpmovzxbw ymm1, [rdi]", {0xc4, 0xe2, 0x7d, 0x30, 0x0f}, 16, 0},
                      {"vextractf128 [rdi], ymm1, 1", {0xc4, 0xe3, 0x7d, 0x19, 0x0f, 0x01}, 0, 16},
                      {"vaddpd ymm1, ymm2, [rdi]", {0xc5, 0xed, 0x58, 0x0f}, 32, 0}};
  for (const Row& row : rows) {
    const Instruction found = decoded(row.code);
    ASSERT_TRUE(found.known) << row.text;
    unsigned load = 0, store = 0;
    for (unsigned i = 0; i < found.accesses; ++i)
      (found.access[i].is_store ? store : load) += found.access[i].bytes;
    EXPECT_EQ(load, row.load) << row.text;
    EXPECT_EQ(store, row.store) << row.text;
    EXPECT_EQ(found.written, row.written) << row.text;
    if (row.written != 0) {
      EXPECT_EQ(found.read, row.read) << row.text;
    }
    EXPECT_EQ(found.stack_change, row.stack_change) << row.text;
    EXPECT_EQ(found.vector_bytes, std::max(8U, std::max(load, store))) << row.text;
  }
}

TEST(DbiInstruction, CopiesWithAConstant) {
  struct Copy {
    const char* text;
    std::vector<std::uint8_t> code;
    Register to, from;
    std::int64_t amount;
  };
  const Copy rows[] = {{"mov rbp, rsp", {0x48, 0x89, 0xe5}, kRbp, kRsp, 0},
                       {"lea rcx, [rax-8]", {0x48, 0x8d, 0x48, 0xf8}, 1, 0, -8},
                       {"add rax, 0x200", {0x48, 0x05, 0x00, 0x02, 0x00, 0x00}, 0, 0, 0x200},
                       {"sub rsp, 24", {0x48, 0x83, 0xec, 0x18}, kRsp, kRsp, -24},
                       {"inc r8", {0x49, 0xff, 0xc0}, 8, 8, 1},
                       {"dec rax", {0x48, 0xff, 0xc8}, 0, 0, -1},
                       {"leave", {0xc9}, kRsp, kRbp, 8}};
  for (const Copy& row : rows) {
    const Instruction found = decoded(row.code);
    EXPECT_TRUE(found.known) << row.text;
    EXPECT_EQ(found.to, row.to) << row.text;
    EXPECT_EQ(found.from, row.from) << row.text;
    EXPECT_EQ(found.amount, row.amount) << row.text;
    EXPECT_EQ(found.written, row.to == kRsp && row.from == kRbp ? 1U << kRbp : 0U) << row.text;
  }
  EXPECT_EQ(decoded({0x89, 0xe5}).to, kNoRegister);              // mov ebp, esp
  EXPECT_EQ(decoded({0x48, 0x8d, 0x04, 0x8f}).to, kNoRegister);  // lea rax, [rdi+rcx*4]
}

TEST(DbiInstruction, ComputesVectorRegisters) {
  struct Floats {
    const char* text;
    std::vector<std::uint8_t> code;
    Register to;
    unsigned from;
    bool computes = false, divides = false;
  };
  const Floats rows[] = {
      {"movsd xmm1, [rdi]", {0xf2, 0x0f, 0x10, 0x0f}, 1, 0},
      {"pxor xmm1, xmm1", {0x66, 0x0f, 0xef, 0xc9}, 1, 0},
      {"vxorpd ymm1, ymm2, ymm2", {0xc5, 0xed, 0x57, 0xca}, 1, 0},
      {"vpxor ymm1, ymm3, ymm2", {0xc5, 0xe5, 0xef, 0xca}, 1, kXmm2 | kXmm3},
      {"vaddpd ymm1, ymm2, [rdi]", {0xc5, 0xed, 0x58, 0x0f}, 1, kXmm2, true},
      {"vfmadd231sd xmm1, xmm2, [rdi]", {0xc4, 0xe2, 0xe9, 0xb9, 0x0f}, 1, kXmm1 | kXmm2, true},
      {"vdivps ymm1, ymm3, ymm2", {0xc5, 0xe4, 0x5e, 0xca}, 1, kXmm2 | kXmm3, true, true},
      {"sqrtsd xmm1, xmm2", {0xf2, 0x0f, 0x51, 0xca}, 1, kXmm2, false, true},
      {"ucomisd xmm1, [rdi]", {0x66, 0x0f, 0x2e, 0x0f}, kNoRegister, kXmm1}};
  for (const Floats& row : rows) {
    const Instruction found = decoded(row.code);
    EXPECT_TRUE(found.known) << row.text;
    EXPECT_EQ(found.float_to, row.to) << row.text;
    EXPECT_EQ(found.float_from, row.from) << row.text;
    EXPECT_EQ(found.computes_floats, row.computes) << row.text;
    EXPECT_EQ(found.divides, row.divides) << row.text;
  }
}

// The accesses depend on values, are repeated, too many or too large, or the stack pointer changes
// before them.
TEST(DbiInstruction, OthersAreUnknown) {
  const std::vector<std::uint8_t> codes[] = {
      {0x48, 0x0f, 0xa3, 0x07},              // bt [rdi], rax
      {0x8f, 0x07},                          // pop [rdi]
      {0x66, 0x50},                          // push ax
      {0x48, 0x0f, 0xb1, 0x0f},              // cmpxchg [rdi], rcx
      {0xc4, 0xe2, 0x6d, 0x2c, 0x0f},        // vmaskmovps ymm1, ymm2, [rdi]
      {0xc4, 0xe2, 0x6d, 0x92, 0x0c, 0x1f},  // vgatherdps ymm1, [rdi+ymm3], ymm2
      {0x66, 0x0f, 0xf7, 0xca},              // maskmovdqu xmm1, xmm2
      {0x48, 0x0f, 0xc7, 0x0f},              // cmpxchg16b [rdi]
      {0xf3, 0xa4},                          // rep movsb
      {0xd7},                                // xlat
      {0xdb, 0x2f},                          // fld tbyte [rdi]
      {0x0f, 0xae, 0x07},                    // fxsave [rdi]
      {0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07}   // vmovups zmm0, [rdi]
  };
  for (const std::vector<std::uint8_t>& code : codes) {
    EXPECT_FALSE(decoded(code).known) << static_cast<int>(code[0]) << ' ' << code.size();
    EXPECT_EQ(decoded(code).vector_bytes, 8) << static_cast<int>(code[0]) << ' ' << code.size();
  }
  EXPECT_FALSE(decode_instruction(codes[0].data(), 1, 0, true).known);
  const std::vector<std::uint8_t> load{0x8b, 0x07};
  EXPECT_FALSE(decode_instruction(load.data(), load.size(), 0, false).known);
}

}  // namespace
}  // namespace Atoll::record::dbi
