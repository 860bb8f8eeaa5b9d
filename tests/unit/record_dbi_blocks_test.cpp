// The decoder and the block plans of the front end dbi. Single instructions are compared with the
// processor manual, and random blocks with their instructions one by one.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "record/emulator/block_plan.hpp"
#include "record/emulator/instruction.hpp"

namespace Atoll::record::dbi {
namespace {

using Code = std::vector<std::uint8_t>;

constexpr std::uint64_t kCode = 0x1000;  // address of the decoded instruction

Instruction decoded(const Code& code, std::uint64_t address = kCode) {
  return decode_instruction(code.data(), code.size(), address, true);
}

TEST(TraceDbiBlocks, InstructionsAccessWhatTheManualSays) {
  const Instruction load = decoded({0x4A, 0x8B, 0x44, 0xE3, 0xF8});  // mov rax, [rbx + r12*8 - 8]
  ASSERT_TRUE(load.known);
  ASSERT_EQ(load.accesses, 1);
  EXPECT_EQ(load.access[0].address.base, 3);
  EXPECT_EQ(load.access[0].address.index, 12);
  EXPECT_EQ(load.access[0].address.scale, 8);
  EXPECT_EQ(load.access[0].address.displacement, -8);
  EXPECT_EQ(load.access[0].bytes, 8);
  EXPECT_FALSE(load.access[0].is_store);
  EXPECT_EQ(load.written, 1);

  const Instruction relative = decoded({0xC6, 0x05, 0x10, 0, 0, 0, 0x01}, 0x1000);
  ASSERT_EQ(relative.accesses, 1);  // mov byte [rip + 0x10], 1
  EXPECT_EQ(relative.access[0].address.base, kNoRegister);
  EXPECT_EQ(relative.access[0].address.displacement, 0x1017);
  EXPECT_EQ(relative.access[0].bytes, 1);
  EXPECT_TRUE(relative.access[0].is_store);

  const Instruction change = decoded({0x66, 0x83, 0x00, 0x05});  // add word [rax], 5
  ASSERT_EQ(change.accesses, 2);
  EXPECT_FALSE(change.access[0].is_store);
  EXPECT_TRUE(change.access[1].is_store);
  EXPECT_EQ(change.access[1].bytes, 2);

  const Instruction call = decoded({0xFF, 0x50, 0x18});  // call [rax + 0x18]
  ASSERT_EQ(call.accesses, 2);
  EXPECT_EQ(call.access[1].address.base, kRsp);
  EXPECT_EQ(call.access[1].address.displacement, -8);

  const Instruction vector = decoded({0xC5, 0xFE, 0x7F, 0x07});  // vmovdqu [rdi], ymm0
  ASSERT_EQ(vector.accesses, 1);
  EXPECT_EQ(vector.access[0].bytes, 32);
  EXPECT_TRUE(vector.access[0].is_store);
  // Registers in the two-byte form of the VEX prefix.
  EXPECT_EQ(decoded({0xC5, 0x79, 0xD7, 0xC0}).written, 1 << 8);  // vpmovmskb r8d, xmm0
  EXPECT_EQ(decoded({0xC5, 0x7B, 0x2C, 0x00}).written, 1 << 8);  // vcvttsd2si r8d, [rax]
  EXPECT_EQ(decoded({0xC5, 0xF8, 0x50, 0xF9}).written, 1 << 7);  // vmovmskps edi, xmm1
  const Instruction scalar = decoded({0xF2, 0x0F, 0x58, 0x06});  // addsd xmm0, [rsi]
  ASSERT_EQ(scalar.accesses, 1);
  EXPECT_EQ(scalar.access[0].bytes, 8);
  const Instruction past_caches = decoded({0xF3, 0x0F, 0x2B, 0x00});  // movntss [rax], xmm0
  ASSERT_EQ(past_caches.accesses, 1);
  EXPECT_EQ(past_caches.access[0].bytes, 4);
  EXPECT_TRUE(past_caches.access[0].is_store);

  EXPECT_EQ(decoded({0x0F, 0x1F, 0x44, 0x00, 0x00}).accesses, 0);  // nop [rax + rax]
  EXPECT_TRUE(decoded({0x0F, 0x1F, 0x44, 0x00, 0x00}).known);
  EXPECT_EQ(decoded({0x48, 0x8D, 0x04, 0x0F}).accesses, 0);  // lea rax, [rdi + rcx]
}

TEST(TraceDbiBlocks, WhatMayBeMadeAgainOrIsNotKnownIsUnknown) {
  for (const Code& code : {Code{0xF0, 0x48, 0x01, 0x07},                    // lock add
                           Code{0x48, 0x87, 0x07},                          // xchg [rdi], rax
                           Code{0xF3, 0xA4}, Code{0x0F, 0xA2}, Code{0x62},  // rep movsb, cpuid
                           Code{0x67, 0x8B, 0x00},                          // mov eax, [eax]
                           Code{0x8B, 0x00, 0x00}, Code{0x8B}, Code{0x48}, Code{}})
    EXPECT_FALSE(decoded(code).known);
}

TEST(TraceDbiBlocks, AnyBytesAreDecodedWithinTheirLength) {
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    Code code(1 + random() % 15);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    const Instruction found = decoded(code);  // the sanitizers check its reads
    EXPECT_LE(found.accesses, 2);
    for (unsigned k = 0; k < found.accesses; ++k) {
      EXPECT_GE(found.access[k].bytes, 1);
      EXPECT_LE(found.access[k].bytes, 32);
    }
  }
}

/// Reads, writes and a mask of words for each line.
struct Lines {
  std::map<std::uint64_t, std::array<std::uint64_t, 3>> of;
  void count(std::uint64_t address, std::uint64_t bytes, bool is_store) {
    for (std::uint64_t byte = address; byte < address + bytes; ++byte)
      of[byte >> 6][2] |= std::uint64_t{1} << ((byte & 63) >> 3);
    ++of[address >> 6][is_store ? 1 : 0];
    if ((address + bytes - 1) >> 6 != address >> 6)
      ++of[(address + bytes - 1) >> 6][is_store ? 1 : 0];
  }
  void count(const Group& group, std::uint64_t origin) {
    EXPECT_LT(group.members.member[0].offset, 4);
    for (std::uint32_t i = 0; i < group.members.count; ++i) {
      const Member& member = group.members.member[i];
      count(origin + static_cast<std::uint64_t>(std::int64_t{member.offset}), member.bytes,
            member.is_store);
    }
  }
};

struct Done {
  std::uint64_t address;
  bool is_store;
};

/// Generates random instructions and executes them.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {
    for (std::uint64_t& value : registers_) value = some_address();
  }
  [[nodiscard]] const std::array<std::uint64_t, 16>& registers() const { return registers_; }

  Code next(std::vector<Done>& done) {
    const unsigned reg = random_() % 16, base = random_() % 16;
    const auto displacement = static_cast<std::int32_t>(random_() % 160) - 80;
    const std::uint64_t address =
        registers_[base] + static_cast<std::uint64_t>(std::int64_t{displacement});
    switch (random_() % 12) {
      case 0:
        registers_[4] -= 8;
        done = {{registers_[4], true}};
        return {static_cast<std::uint8_t>(0x40 | reg >> 3),
                static_cast<std::uint8_t>(0x50 | (reg & 7))};
      case 1:
        done = {{registers_[4], false}};
        registers_[4] += 8;
        registers_[reg] = some_address();
        return {static_cast<std::uint8_t>(0x40 | reg >> 3),
                static_cast<std::uint8_t>(0x58 | (reg & 7))};
      case 2:
      case 3:
        done = {{address, false}};
        registers_[reg] = some_address();
        return memory(0x8B, reg, base, displacement);
      case 4:
      case 5:
        done = {{address, true}};
        return memory(0x89, reg, base, displacement);
      case 6:
        done = {{address, false}, {address, true}};
        return memory(0x01, reg, base, displacement);
      case 7:
        registers_[reg] = address;
        return memory(0x8D, reg, base, displacement);
      case 8:
        registers_[reg] += static_cast<std::uint64_t>(std::int64_t{displacement});
        return with_constant({static_cast<std::uint8_t>(0x48 | reg >> 3), 0x81,
                              static_cast<std::uint8_t>(0xC0 | (reg & 7))},
                             displacement);
      case 9: {  // mov reg, [base + index * scale + displacement]
        const unsigned index = random_() % 16, scale = random_() % 4;
        if (index == 4) return {0x90};
        done = {{address + (registers_[index] << scale), false}};
        registers_[reg] = some_address();
        return indexed(reg, base, index, scale, displacement);
      }
      case 10: {  // mov [rip + displacement], reg
        done = {{kCode + 7 + static_cast<std::uint64_t>(std::int64_t{displacement}), true}};
        return with_constant({static_cast<std::uint8_t>(0x48 | (reg >> 3) << 2), 0x89,
                              static_cast<std::uint8_t>(0x05 | (reg & 7) << 3)},
                             displacement);
      }
      default:  // rdtsc, unknown to the decoder
        registers_[0] = some_address();
        registers_[2] = some_address();
        return {0x0F, 0x31};
    }
  }

 private:
  std::uint64_t some_address() {
    const std::uint64_t address = 0x10'0000 + random_() % 0x10'0000;
    return random_() % 4 == 0 ? address : address & ~std::uint64_t{3};
  }
  static Code with_constant(Code code, std::int32_t constant) {
    for (int shift = 0; shift < 32; shift += 8)
      code.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(constant) >> shift));
    return code;
  }
  static Code memory(std::uint8_t op, unsigned reg, unsigned base, std::int32_t displacement) {
    Code code{static_cast<std::uint8_t>(0x48 | (reg >> 3) << 2 | base >> 3), op,
              static_cast<std::uint8_t>(0x80 | (reg & 7) << 3 | (base & 7))};
    if ((base & 7) == 4) code.push_back(0x24);
    return with_constant(code, displacement);
  }
  static Code indexed(unsigned reg, unsigned base, unsigned index, unsigned scale,
                      std::int32_t displacement) {
    return with_constant(
        {static_cast<std::uint8_t>(0x48 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3), 0x8B,
         static_cast<std::uint8_t>(0x84 | (reg & 7) << 3),
         static_cast<std::uint8_t>(scale << 6 | (index & 7) << 3 | (base & 7))},
        displacement);
  }

  std::mt19937 random_;
  std::array<std::uint64_t, 16> registers_;
};

/// Counts of one block by its plan, and the number of callbacks.
struct Counted {
  Lines lines;
  std::size_t calls = 0;
};

void count_at_entry(const BlockPlan& plan, const std::array<std::uint64_t, 16>& registers,
                    Counted& counted) {
  for (std::size_t i = 0; i < plan.entry_count(); ++i) {
    const AtEntry& entry = plan.entries()[i];
    const Address& from = entry.access.address;
    auto address = static_cast<std::uint64_t>(from.displacement);
    if (from.base != kNoRegister) address += registers.at(from.base);
    if (from.index != kNoRegister) address += registers.at(from.index) * from.scale;
    ++counted.calls;
    if (entry.group != nullptr)
      counted.lines.count(*entry.group, address);
    else
      counted.lines.count(address, entry.access.bytes, entry.access.is_store);
  }
}

void count_at_instruction(const Watch& watch, const std::vector<Done>& done, Counted& counted) {
  for (const Done& access : done) {
    if (watch.what != Watch::What::nothing) ++counted.calls;
    if (watch.what == Watch::What::each) counted.lines.count(access.address, 8, access.is_store);
    if (watch.what == Watch::What::one) {
      ASSERT_EQ(done.size(), 1U);
      ASSERT_EQ(watch.access.is_store, access.is_store);
      counted.lines.count(access.address, watch.access.bytes, access.is_store);
    }
    if (watch.what == Watch::What::group) {
      ASSERT_EQ(watch.of_two, done.size() == 2);
      if (!watch.of_two || watch.access.is_store == access.is_store)
        counted.lines.count(
            *watch.group, access.address + static_cast<std::uint64_t>(std::int64_t{watch.origin}));
    }
  }
}

TEST(TraceDbiBlocks, PlansOfBlocksCountWhatTheirInstructionsDo) {
  static BlockPlan plan;
  std::size_t accesses = 0, calls[2] = {};
  for (unsigned seed = 0; seed < 5000; ++seed)
    for (const bool at_entry : {false, true}) {
      Machine machine(seed);
      const auto registers = machine.registers();
      std::vector<std::vector<Done>> done(1 + seed % 40);
      plan.begin();
      for (std::vector<Done>& of_one : done) plan.add(decoded(machine.next(of_one), kCode));
      const Watch* watches = plan.finish({at_entry, kCode});
      Lines expected;
      Counted counted;
      ASSERT_TRUE(at_entry || plan.entry_count() == 0);
      count_at_entry(plan, registers, counted);
      for (std::size_t i = 0; i < done.size(); ++i) {
        for (const Done& access : done[i]) expected.count(access.address, 8, access.is_store);
        count_at_instruction(watches[i], done[i], counted);
        accesses += done[i].size();
      }
      calls[at_entry ? 1 : 0] += counted.calls;
      ASSERT_EQ(counted.lines.of, expected.of) << "seed " << seed;
    }
  EXPECT_LT(calls[0], accesses / 2 * 4 / 5);  // plans must save callbacks
  EXPECT_LT(calls[1], calls[0]);
}

TEST(TraceDbiBlocks, WhatRegistersOfTheBeginningTellIsCountedThere) {
  static BlockPlan plan;
  plan.begin();
  plan.add(decoded({0x48, 0x8B, 0x43, 0x10}));                       // mov rax, [rbx + 0x10]
  plan.add(decoded({0x48, 0x8B, 0x08}));                             // mov rcx, [rax]: unknown rax
  plan.add(decoded({0x48, 0x8B, 0x14, 0xFB}));                       // mov rdx, [rbx + rdi*8]
  plan.add(decoded({0x64, 0x48, 0x8B, 0x04, 0x25, 0x28, 0, 0, 0}));  // mov rax, fs:[0x28]
  plan.add(decoded({0xC3}));                                         // ret
  const Watch* watches = plan.finish({true, kCode});
  ASSERT_EQ(plan.entry_count(), 3U);
  EXPECT_EQ(plan.entries()[0].access.address.base, 3);
  EXPECT_EQ(plan.entries()[0].access.address.displacement, 0x10);
  EXPECT_EQ(plan.entries()[1].access.address.index, 7);
  EXPECT_EQ(plan.entries()[1].access.address.scale, 8);
  EXPECT_EQ(plan.entries()[2].access.address.base, kRsp);
  EXPECT_EQ(watches[0].what, Watch::What::nothing);
  EXPECT_EQ(watches[1].what, Watch::What::one);
  EXPECT_EQ(watches[3].what, Watch::What::one);

  // Displacements that exceed the callbacks' data are counted at the instruction.
  plan.begin();
  plan.add(decoded({0x48, 0x8B, 0x83, 0, 0, 1, 0}));  // mov rax, [rbx + 0x10000]
  plan.add(decoded({0x48, 0x89, 0x83, 8, 0, 1, 0}));  // mov [rbx + 0x10008], rax
  plan.add(decoded({0x8B, 0x0D, 0, 0, 0, 0}));        // mov ecx, [rip]
  plan.add(decoded({0x8B, 0x15, 0, 0, 0, 0}));        // mov edx, [rip]
  watches = plan.finish({true, kCode + (std::uint64_t{1} << 40)});
  EXPECT_EQ(plan.entry_count(), 0U);
  EXPECT_EQ(watches[0].what, Watch::What::group);
  EXPECT_EQ(watches[2].what, Watch::What::group);
}

TEST(TraceDbiBlocks, AnExampleIsAnAccessThatARegisterTells) {
  static BlockPlan plan;
  BlockPlan::Example example = {};
  plan.begin();
  plan.add(decoded({0x48, 0x8B, 0x05, 0, 0, 0, 0}));  // mov rax, [rip]
  plan.add(decoded({0x48, 0x8B, 0x08}));              // mov rcx, [rax]
  plan.add(decoded({0x48, 0xFF, 0x06}));              // inc [rsi]: two accesses
  EXPECT_FALSE(plan.example(example));
  plan.add(decoded({0x48, 0x83, 0xC7, 0x08}));  // add rdi, 8
  plan.add(decoded({0x88, 0x57, 0xFF}));        // mov [rdi - 1], dl
  ASSERT_TRUE(plan.example(example));
  EXPECT_EQ(example.instruction, 4U);
  EXPECT_EQ(example.base, 7);
  EXPECT_EQ(example.displacement, 7);
}

TEST(TraceDbiBlocks, AFunctionsStackFrameIsOneGroup) {
  static BlockPlan plan;
  plan.begin();
  plan.add(decoded({0x55}));                          // push rbp
  plan.add(decoded({0x48, 0x89, 0xE5}));              // mov rbp, rsp
  plan.add(decoded({0x53}));                          // push rbx
  plan.add(decoded({0x48, 0x83, 0xEC, 0x18}));        // sub rsp, 0x18
  plan.add(decoded({0x48, 0x89, 0x7D, 0xE0}));        // mov [rbp - 0x20], rdi
  plan.add(decoded({0xE8, 0x00, 0x00, 0x00, 0x00}));  // call
  const Watch* watches = plan.finish({});
  ASSERT_EQ(watches[0].what, Watch::What::group);
  for (int i = 1; i < 6; ++i) EXPECT_EQ(watches[i].what, Watch::What::nothing) << i;
  const Members& members = watches[0].group->members;
  ASSERT_EQ(members.count, 4U);
  for (unsigned i = 0; i < 4; ++i) EXPECT_TRUE(members.member[i].is_store);
  EXPECT_EQ(members.member[3].offset - members.member[2].offset, 8);   // saved rbp above saved rbx
  EXPECT_EQ(members.member[3].offset - members.member[1].offset, 32);  // saved rdi
  EXPECT_EQ(members.member[3].offset - members.member[0].offset, 40);  // the call's return address
}

}  // namespace
}  // namespace Atoll::record::dbi
