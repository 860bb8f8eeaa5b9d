// Fast counting paths in the callbacks of the front end dbi, compared with counting single
// accesses.
#include "record/emulator/count_callbacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

namespace Atoll::record::dbi {

thread_local constinit record::ThreadState* counting = nullptr;

namespace {

constexpr std::uint64_t kPage = 0x7000;  // in the thread's slots; the next page isn't

/// Lines of kPage and of the next page.
struct Lines {
  record::Line of[128] = {};
  void count(std::uint64_t address, std::uint32_t bytes, bool is_store) {
    const std::uint64_t first = address - kPage, last = first + bytes - 1;
    ASSERT_LT(last, sizeof of / sizeof *of * 64);
    for (std::uint64_t line = first / 64; line <= last / 64; ++line) {
      of[line] += is_store ? record::kOneWrite : record::kOneRead;
      of[line] |= record::words_of(std::max(first, line * 64), std::min(last, line * 64 + 63));
    }
  }
  void count(const Members& members, std::uint64_t origin) {
    for (std::uint32_t i = 0; i < members.count; ++i)
      count(origin + static_cast<std::uint64_t>(std::int64_t{members.member[i].offset}),
            members.member[i].bytes, members.member[i].is_store);
  }
};

Lines slowly;          // lines of the accesses that fast paths passed to the slow path
std::size_t slow = 0;  // number of calls of the slow path

class TraceDbiCounting : public testing::Test {
 protected:
  TraceDbiCounting() : state_(std::make_unique<record::ThreadState>()) {
    record::clear_slots(state_.get());
    record::slot_of(state_.get(), kPage >> 12) = {kPage, &block_};
    counting = state_.get();
    slowly = {};
    slow = 0;
  }

  void expect(const Lines& expected) {
    for (std::size_t line = 0; line < std::size(expected.of); ++line) {
      const record::Line fast = line < 64 ? block_.lines[line] : 0;
      const record::Line words = (fast | slowly.of[line]) & record::kWords;
      const record::Line counts = (fast & ~record::kWords) + (slowly.of[line] & ~record::kWords);
      ASSERT_EQ(counts | words, expected.of[line]) << "line " << line;
    }
  }

  std::unique_ptr<record::ThreadState> state_;
  record::PageCounters block_ = {};
};

Members random_members(std::mt19937& random, unsigned reach) {
  Members members;
  members.count = 1 + static_cast<std::uint32_t>(random() % kMaxMembers);
  for (std::uint32_t i = 0; i < members.count; ++i)
    members.member[i] = {static_cast<std::int32_t>(random() % reach),
                         static_cast<std::uint8_t>(1U << random() % 6), random() % 2 == 0};
  members.member[0].offset = static_cast<std::int32_t>(random() % 4);
  std::ranges::sort(members.member, members.member + members.count, {}, &Member::offset);
  return members;
}

TEST_F(TraceDbiCounting, GroupsCountWhatTheirMembersDo) {
  std::mt19937 random(5);
  Lines expected;
  std::size_t narrow = 0, times = 0;
  for (int i = 0; i < 3000; ++i) {
    const Members members = random_members(random, 8U << random() % 8);
    const Group* group = find_group(members);
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(find_group(members), group);  // equal groups are shared
    if (group->is_narrow) ++narrow;
    for (int k = 0; k < 40; ++k, ++times) {
      // Addresses are mostly multiples of 4; some are at the end of the page.
      std::uint64_t origin = kPage + random() % 4096;
      if (random() % 8 != 0) origin &= ~std::uint64_t{3};
      if (random() % 16 == 0) origin = kPage + 4096 - 4 * (random() % 32 + 1);
      if (group->is_narrow && k % 2 == 0)
        count_group<true>(group, origin);
      else
        count_group<false>(group, origin);
      expected.count(members, origin);
    }
  }
  expect(expected);
  EXPECT_GT(narrow, 300U);
  EXPECT_LT(slow, times * 3 / 4);
}

TEST_F(TraceDbiCounting, AlignedMembersOfOnePageAreNeverCountedSlowly) {
  Members members;
  members.count = 3;
  members.member[0] = {0, 8, true};
  members.member[1] = {8, 8, false};
  members.member[2] = {56, 4, false};
  const Group* group = find_group(members);
  ASSERT_TRUE(group->is_narrow);
  Lines expected;
  for (std::uint64_t origin = kPage; origin + 60 <= kPage + 4096; origin += 8) {
    count_group<true>(group, origin);
    count_group<false>(group, origin);
    expected.count(members, origin);
    expected.count(members, origin);
  }
  expect(expected);
  EXPECT_EQ(slow, 0U);
}

TEST_F(TraceDbiCounting, FullLinesAreLeftToTheSlowWays) {
  Members members;
  members.count = 2;
  members.member[0] = {0, 8, true};
  members.member[1] = {64, 8, false};
  const Group* group = find_group(members);
  block_.lines[1] = ((std::uint64_t{1} << 31) - 1) * record::kOneRead;
  const record::Line before = block_.lines[1];
  count_group<true>(group, kPage);  // the second line is full, so the whole group is passed on
  EXPECT_EQ(slow, 1U);
  EXPECT_EQ(block_.lines[0], 0U);
  count_group<false>(group, kPage);  // passes on the members from the second line on
  EXPECT_EQ(slow, 2U);
  EXPECT_EQ(block_.lines[0], record::kOneWrite | 1);
  EXPECT_EQ(block_.lines[1], before);
  count<3, false>(kPage + 64);
  EXPECT_EQ(slow, 3U);
  count<3, true>(kPage + 64);  // the write counter isn't full
  EXPECT_EQ(slow, 3U);
}

TEST_F(TraceDbiCounting, SingleAccesses) {
  std::mt19937 random(6);
  Lines expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t address = kPage + random() % 4096;
    count<0, false>(address);
    expected.count(address, 1, false);
    count<2, true>(address);
    expected.count(address, 4, true);
    count<5, false>(address);
    expected.count(address, 32, false);
  }
  expect(expected);
  EXPECT_LT(slow, 20'000U);  // of 60,000: those that cross a line
}

}  // namespace

void count_slowly(std::uint32_t bytes, std::uint64_t address, bool is_store) {
  ++slow;
  slowly.count(address, bytes, is_store);
}

void count_group_slowly(const LineCounts* from, const Group* group, std::uint64_t origin) {
  ++slow;
  if (from == nullptr) return slowly.count(group->members, origin);
  for (;; ++from) {
    record::Line& line = slowly.of[(origin - kPage) / 64 + from->line];
    line = (line | from->words) + from->counts;
    if (from->last) return;
  }
}

}  // namespace Atoll::record::dbi
