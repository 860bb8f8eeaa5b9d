// What the front end dbi knows of blocks of code: instructions against their manual, and whole
// blocks, made at random, against what they do one instruction at a time.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "trace/dbi/groups.hpp"
#include "trace/dbi/instruction.hpp"

namespace Atoll::trace::dbi {
namespace {

using Code = std::vector<std::uint8_t>;

Instruction decoded(const Code& code, std::uint64_t address = 0x1000) {
  return decode_instruction(code.data(), code.size(), address);
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
  const Instruction scalar = decoded({0xF2, 0x0F, 0x58, 0x06});  // addsd xmm0, [rsi]
  ASSERT_EQ(scalar.accesses, 1);
  EXPECT_EQ(scalar.access[0].bytes, 8);

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
    const Instruction found = decoded(code);  // (the sanitizers see what it reads)
    EXPECT_LE(found.accesses, 2);
    for (unsigned k = 0; k < found.accesses; ++k) {
      EXPECT_GE(found.access[k].bytes, 1);
      EXPECT_LE(found.access[k].bytes, 32);
    }
  }
}

/// What is counted for lines: reads, writes and a mask of words.
struct Lines {
  std::map<std::uint64_t, std::array<std::uint64_t, 3>> of;
  void count(std::uint64_t address, std::uint64_t bytes, bool is_store) {
    for (std::uint64_t byte = address; byte < address + bytes; ++byte)
      of[byte >> 6][2] |= std::uint64_t{1} << ((byte & 63) >> 3);
    ++of[address >> 6][is_store ? 1 : 0];
    if ((address + bytes - 1) >> 6 != address >> 6)
      ++of[(address + bytes - 1) >> 6][is_store ? 1 : 0];
  }
  void count(const Group& group, std::uint64_t address) {
    const std::uint64_t origin = address + static_cast<std::uint64_t>(group.origin);
    const auto place = group.place[(origin >> 2) % kPlacesInLine];
    if ((origin & 3) != 0 || place.begin == 0) {
      const Members& members = members_of(&group);
      for (std::uint32_t i = 0; i < members.count; ++i)
        count(origin + static_cast<std::uint64_t>(std::int64_t{members.member[i].offset}),
              members.member[i].bytes, members.member[i].is_store);
      return;
    }
    std::uint64_t last = 0;
    for (const LineCounts* more = lines_at(&group, place.begin);; ++more) {
      last = (origin >> 6) + more->offset / sizeof(recorder::Line);
      auto& line = of[last];
      line[0] += recorder::reads_of(more->counts);
      line[1] += recorder::writes_of(more->counts);
      line[2] |= more->words;
      if (more->last) break;
    }
    // Within the limit all lines are in the origin's page, beyond it they aren't.
    EXPECT_EQ(origin % 4096 / 4 < place.limit, origin >> 12 == last >> 6);
  }
};

struct Done {
  std::uint64_t address;
  bool is_store;
};

/// Random instructions, with what each of them does.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {
    for (std::uint64_t& value : registers_) value = some_address();
  }

  Code next(std::vector<Done>& done) {
    const unsigned reg = random_() % 16, base = random_() % 16;
    const auto displacement = static_cast<std::int32_t>(random_() % 160) - 80;
    const std::uint64_t address =
        registers_[base] + static_cast<std::uint64_t>(std::int64_t{displacement});
    switch (random_() % 10) {
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
      default:  // rdtsc, which isn't known
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

  std::mt19937 random_;
  std::array<std::uint64_t, 16> registers_;
};

TEST(TraceDbiBlocks, PlansOfBlocksCountWhatTheirInstructionsDo) {
  static BlockPlan plan;
  std::size_t accesses = 0, calls = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    Machine machine(seed);
    std::vector<std::vector<Done>> done(1 + seed % 40);
    plan.begin();
    for (std::vector<Done>& of_one : done) plan.add(decoded(machine.next(of_one)));
    const Watch* watches = plan.finish();
    Lines expected, counted;
    for (std::size_t i = 0; i < done.size(); ++i) {
      for (const Done& access : done[i]) {
        expected.count(access.address, 8, access.is_store);
        ++accesses;
        if (watches[i].what != Watch::What::nothing) ++calls;
        if (watches[i].what == Watch::What::each) counted.count(access.address, 8, access.is_store);
        if (watches[i].what == Watch::What::one) {
          ASSERT_EQ(done[i].size(), 1U);
          ASSERT_EQ(watches[i].access.is_store, access.is_store);
          counted.count(access.address, watches[i].access.bytes, access.is_store);
        }
        if (watches[i].what == Watch::What::group) {
          ASSERT_EQ(watches[i].of_two, done[i].size() == 2);
          if (!watches[i].of_two || watches[i].access.is_store == access.is_store)
            counted.count(*watches[i].group, access.address);
        }
      }
    }
    ASSERT_EQ(counted.of, expected.of) << "seed " << seed;
  }
  EXPECT_LT(calls, accesses * 3 / 4);  // that is what plans are for
}

TEST(TraceDbiBlocks, AFunctionsStackFrameIsOneGroup) {
  BlockPlan plan;
  plan.begin();
  plan.add(decoded({0x55}));                          // push rbp
  plan.add(decoded({0x48, 0x89, 0xE5}));              // mov rbp, rsp
  plan.add(decoded({0x53}));                          // push rbx
  plan.add(decoded({0x48, 0x83, 0xEC, 0x18}));        // sub rsp, 0x18
  plan.add(decoded({0x48, 0x89, 0x7D, 0xE0}));        // mov [rbp - 0x20], rdi
  plan.add(decoded({0xE8, 0x00, 0x00, 0x00, 0x00}));  // call
  const Watch* watches = plan.finish();
  ASSERT_EQ(watches[0].what, Watch::What::group);
  for (int i = 1; i < 6; ++i) EXPECT_EQ(watches[i].what, Watch::What::nothing) << i;
  const Members& members = members_of(watches[0].group);
  ASSERT_EQ(members.count, 4U);
  for (unsigned i = 0; i < 4; ++i) EXPECT_TRUE(members.member[i].is_store);
  EXPECT_EQ(members.member[3].offset - members.member[2].offset, 8);   // rbp above rbx
  EXPECT_EQ(members.member[3].offset - members.member[1].offset, 32);  // rdi
  EXPECT_EQ(members.member[3].offset - members.member[0].offset, 40);  // the return address
}

}  // namespace
}  // namespace Atoll::trace::dbi
