// Timing of a block in the emulator's plugin: work between its accesses, and the loads on which
// registers depend.
#include <gmock/gmock.h>

#include <initializer_list>
#include <vector>

#include "record/emulator/timed_block.hpp"

namespace Atoll::record::dbi {
namespace {

using testing::ElementsAre;
using Code = std::vector<std::uint8_t>;

enum : unsigned { kRax = 1, kRcx = 2, kRdx = 4, kRbx = 8, kRsi = 64, kRdi = 128 };

struct Change {
  unsigned to, from;
  friend bool operator==(const Change&, const Change&) = default;
};

struct Planned {
  TimedBlock block;
  [[nodiscard]] std::vector<Change> changes(const Between& between) const {
    std::vector<Change> found;
    for (std::size_t i = 0; i < between.changes; ++i) {
      const NumberChange& change = block.changes[between.first_change + i];
      found.push_back({change.to, change.from});
    }
    return found;
  }
};

Planned planned(std::initializer_list<Code> block) {
  TimedPlan plan;
  plan.begin();
  for (const Code& code : block)
    plan.add(decode_instruction(code.data(), code.size(), 0x1000, true));
  return {plan.finish()};
}

const Code kFollow = {0x48, 0x8B, 0x00};                 // mov rax, [rax]
const Code kCount = {0xFF, 0xC9}, kJump = {0x75, 0xF9};  // dec ecx; jnz

TEST(TimedBlock, OfAChaseLoadsFromWhatItLoads) {
  const Planned chase = planned({kFollow, kCount, kJump});
  ASSERT_EQ(chase.block.site_count, 1U);
  const TimedSite& site = chase.block.sites[0];
  EXPECT_EQ(site.address, kRax);
  EXPECT_EQ(site.loads_into, kRax);
  EXPECT_EQ(site.before.work.instructions, 0);
  EXPECT_EQ(site.after.work.instructions, 2);
}

TEST(TimedBlock, OfAGatherLoadsFromItsIndex) {
  const Planned gather = planned({{0x48, 0x63, 0x14, 0x8E},              // movsxd rdx, [rsi+rcx*4]
                                  {0x48, 0xC1, 0xE2, 0x06},              // shl rdx, 6
                                  {0x48, 0x0F, 0xBE, 0x54, 0x17, 0x08},  // movsx rdx, [rdi+rdx+8]
                                  {0x48, 0x01, 0xD0}});                  // add rax, rdx
  ASSERT_EQ(gather.block.site_count, 2U);
  EXPECT_EQ(gather.block.sites[0].address, kRsi | kRcx);
  EXPECT_EQ(gather.block.sites[0].loads_into, kRdx);
  EXPECT_EQ(gather.block.sites[1].address, kRdi | kRdx);
  EXPECT_EQ(gather.block.sites[1].before.work.instructions, 1);
  EXPECT_THAT(gather.changes(gather.block.sites[1].before), ElementsAre());
  EXPECT_THAT(gather.changes(gather.block.sites[1].after), ElementsAre(Change{0, kRax | kRdx}));
}

TEST(TimedBlock, RegistersGetWhatTheyAreMadeOf) {
  const Planned quiet = planned({{0x48, 0x8D, 0x1C, 0x88},  // lea rbx, [rax+rcx*4]
                                 {0x48, 0x89, 0xC6},        // mov rsi, rax
                                 {0x89, 0xCF},              // mov edi, ecx
                                 {0x31, 0xC0},              // xor eax, eax
                                 {0xB9, 1, 0, 0, 0},        // mov ecx, 1
                                 {0x0F, 0xAF, 0xD3}});      // imul edx, ebx
  EXPECT_FALSE(quiet.block.has_known_site);
  EXPECT_EQ(quiet.block.all.work.instructions, 6);
  EXPECT_THAT(quiet.changes(quiet.block.all),
              ElementsAre(Change{3, kRax | kRcx}, Change{6, kRax}, Change{7, kRcx}, Change{0, 0},
                          Change{1, 0}, Change{2, kRbx | kRdx}));
}

TEST(TimedBlock, DivisionsAreCounted) {
  const Planned divides = planned({{0xF7, 0xF1},              // div ecx
                                   {0x48, 0xF7, 0xFB},        // idiv rbx
                                   {0xF2, 0x0F, 0x5E, 0xC1},  // divsd xmm0, xmm1
                                   {0xF2, 0x0F, 0x51, 0xC8},  // sqrtsd xmm1, xmm0
                                   {0xF7, 0xE1},              // mul ecx
                                   {0xF7, 0x36}});            // div dword [rsi]
  EXPECT_EQ(divides.block.sites[0].before.work.divisions, 5);
  EXPECT_EQ(divides.block.sites[0].before.work.instructions, 5);
}

TEST(TimedBlock, ChainsGoFromTheBlocksBeginningToItsEnd) {
  const Code load = {0xF2, 0x0F, 0x10, 0x0E};         // movsd xmm1, [rsi]
  const Code multiply = {0xF2, 0x0F, 0x59, 0x0F};     // mulsd xmm1, [rdi]
  const Code add = {0xF2, 0x0F, 0x58, 0xC1};          // addsd xmm0, xmm1
  const Code fused = {0xC4, 0xE2, 0xF1, 0xB9, 0x06};  // vfmadd231sd xmm0, xmm1, [rsi]
  const auto chain = [](const Planned& block) {
    return block.block.sites[block.block.site_count - 1].after.work.chain;
  };
  EXPECT_EQ(chain(planned({load, multiply})), 0);
  EXPECT_EQ(chain(planned({load, multiply, add})), 1);
  EXPECT_EQ(chain(planned({load, add, load, add, fused})), 3);
}

TEST(TimedBlock, AtomicAccessesAreLockedOrExchanges) {
  const auto atomic = [](const Code& code) {
    return decode_instruction(code.data(), code.size(), 0x1000, true).is_atomic;
  };
  EXPECT_TRUE(atomic({0xF0, 0x01, 0x07}));              // lock add [rdi], eax
  EXPECT_TRUE(atomic({0xF0, 0x48, 0x0F, 0xB1, 0x0F}));  // lock cmpxchg [rdi], rcx
  EXPECT_TRUE(atomic({0x48, 0x87, 0x07}));              // xchg [rdi], rax
  EXPECT_FALSE(atomic({0x48, 0x87, 0xC1}));             // xchg rcx, rax
  EXPECT_FALSE(atomic({0x01, 0x07}));
  EXPECT_TRUE(planned({{0xF0, 0x01, 0x07}}).block.sites[0].atomic);
}

TEST(TimedBlock, OfAnUnknownInstructionHasItsWorkAnyway) {
  const Code unknown = {0x0F, 0xA2};  // cpuid
  EXPECT_EQ(planned({unknown, kCount}).block.all.work.instructions, 2);
  const Planned before = planned({unknown, kFollow});
  EXPECT_EQ(before.block.sites[0].before.work.instructions, 0);
  EXPECT_EQ(before.block.sites[1].before.work.instructions, 1);
}

}  // namespace
}  // namespace Atoll::record::dbi
