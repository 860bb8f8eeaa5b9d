// Samples converted to counts and first touches, with threads, forks, exec and reused thread ids.
#include "recording/sample/counts.hpp"

#include <gtest/gtest.h>

#include "record/sample/control.hpp"

namespace Atoll::recording::sample {
namespace {

Sample at(std::int32_t pid, std::int32_t tid, std::uint64_t page, std::uint64_t time,
          AccessKind kind = AccessKind::unknown) {
  return {.time_ns = time, .address = page << 12, .pid = pid, .tid = tid, .kind = kind};
}

std::uint64_t reads(const Counts& counts, std::uint32_t thread, std::uint64_t page) {
  const auto found = counts.pages().find({thread, page});
  return found == counts.pages().end() ? 0 : found->second.reads;
}

TEST(SampleCounts, ByThreadAndPageWithWeights) {
  Counts counts;
  counts.add_fault(at(10, 10, 7, 1), 1);
  counts.add_fault(at(10, 11, 7, 2), 5, true, {3, 0});
  counts.add_fault(at(10, 11, 7, 3), 5, true, {4, 0});
  counts.add_fault(at(10, 11, 8, 4), 0);  // a first touch without a count
  counts.add_access(at(10, 10, 7, 5, AccessKind::write));
  ASSERT_EQ(counts.threads().size(), 2);
  EXPECT_EQ(reads(counts, 0, 7), 1);
  EXPECT_EQ(counts.pages().at({0, 7}).writes, 1);
  EXPECT_EQ(reads(counts, 1, 7), 10);
  EXPECT_EQ(counts.pages().at({1, 7}).first_ns, 2);
  EXPECT_EQ(counts.pages().at({1, 7}).epochs, 0b11000);
  EXPECT_EQ(counts.pages().count({1, 8}), 0);
  EXPECT_EQ(counts.first_toucher(0, 7), 0);
  EXPECT_EQ(counts.first_toucher(0, 8), 1);
}

/// Returns (epoch number, uses) of a thread's page, in order of arrival.
std::vector<std::pair<std::uint32_t, std::uint64_t>> uses(const Counts& counts,
                                                          std::uint32_t thread,
                                                          std::uint64_t page) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> list;
  for (const SampledPage::Uses& one : counts.pages().at({thread, page}).uses)
    list.emplace_back(one.epoch.number, one.uses);
  return list;
}

TEST(SampleCounts, UsesByEpochAreThoseOfWithdrawnPages) {
  Counts counts;
  counts.add_fault(at(10, 10, 7, 1), 1, true, {2, 0});  // the first touch of the page
  counts.add_fault(at(10, 10, 7, 2), 5, false, {3, 0});
  counts.add_fault(at(10, 10, 7, 3), 5, false, {3, 0});
  counts.add_fault(at(10, 10, 7, 4), 6, false, {5, 0});
  counts.add_fault(at(10, 11, 7, 5), 7, false, {5, 0});
  EXPECT_EQ(reads(counts, 0, 7), 17);
  using List = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  EXPECT_EQ(uses(counts, 0, 7), (List{{3, 10}, {5, 6}}));
  EXPECT_EQ(uses(counts, 1, 7), (List{{5, 7}}));
}

TEST(SampleCounts, OfVeryManyUsesThoseOfAShareOfThePagesAreKept) {
  Counts counts;
  constexpr std::uint64_t kPages = 3 * Counts::kMaxUses / 2;
  for (std::uint64_t page = 1; page <= kPages; ++page)
    for (const std::int32_t thread : {11, 12})
      counts.add_fault(at(10, thread, page, page), 1, false, {0, 0});
  std::size_t kept = 0, both = 0;
  for (std::uint64_t page = 1; page <= kPages; ++page) {
    EXPECT_EQ(reads(counts, 0, page), 1);
    const std::size_t of_first = uses(counts, 0, page).size();
    const std::size_t of_second = uses(counts, 1, page).size();
    kept += of_first + of_second;
    both += of_first * of_second;
  }
  EXPECT_LE(kept, Counts::kMaxUses);
  EXPECT_GT(kept, Counts::kMaxUses / 3);
  EXPECT_EQ(kept, 2 * both) << "a page's uses are kept of all threads or of none";
}

TEST(SampleCounts, EpochsOfALaterGenerationAreTwiceAsLong) {
  Counts counts;
  counts.add_fault(at(10, 10, 7, 1), 1, true, {62, 0});
  counts.add_fault(at(10, 10, 7, 2), 1, true, {63, 0});
  counts.add_fault(at(10, 10, 7, 3), 1, true, {32, 1});
  EXPECT_EQ(counts.pages().at({0, 7}).epochs, std::uint64_t{0b11} << 31);
  EXPECT_EQ(counts.pages().at({0, 7}).epoch_generation, 1);
}

TEST(SampleCounts, PagesWithoutAFaultOfTheirOwnCameWithTheFirstAround) {
  Counts counts;
  counts.add_fault(at(10, 11, 1024 + 100, 1), 1);
  counts.add_fault(at(10, 12, 1024 + 200, 2), 1);
  EXPECT_EQ(counts.first_toucher(0, 1024), 0);
  EXPECT_EQ(counts.first_toucher(0, 1024 + 511), 0);
  EXPECT_EQ(counts.first_toucher(0, 1024 + 200), 1);
  EXPECT_EQ(counts.first_toucher(0, 1023), std::nullopt);
}

TEST(SampleCounts, AWithdrawnPagesFaultIsNoFirstTouch) {
  Counts counts;
  counts.add_fault(at(10, 11, 7, 1), 5, false);
  EXPECT_EQ(counts.first_toucher(0, 7), std::nullopt);
  EXPECT_EQ(reads(counts, 0, 7), 5);
}

TEST(SampleCounts, TheKernelsOwnAddressesAreNoOnes) {
  Counts counts;
  counts.add_fault(at(10, 10, 0, 1), 1);
  counts.add_fault(at(10, 10, 0xffff'8000'0000'0, 1), 1);
  counts.add_fault(at(-1, 0, 7, 1), 1);
  EXPECT_TRUE(counts.pages().empty());
}

TEST(SampleCounts, AForkedChildHasItsOwnPages) {
  Counts counts;
  counts.add_fault(at(10, 10, 7, 1), 1);
  counts.add_fault(Task{true, 20, 10, 20, 10, 2}, 0);
  counts.add_fault(at(20, 20, 7, 3), 1);
  counts.add_fault(at(10, 10, 7, 4), 1);
  ASSERT_EQ(counts.spaces().size(), 2);
  EXPECT_EQ(counts.spaces()[1].parent_pid, 10);
  EXPECT_EQ(counts.spaces()[1].started_ns, 2);
  EXPECT_EQ(reads(counts, 0, 7), 2);
  EXPECT_EQ(reads(counts, 1, 7), 1);
  EXPECT_EQ(counts.first_toucher(1, 7), 1);
}

TEST(SampleCounts, ExecBeginsAnotherSpaceOfTheSameProcess) {
  Counts counts;
  counts.add_fault(at(10, 10, 7, 1), 1);
  counts.add_fault(Named{10, 10, 2, false, "just a name"}, 0);
  counts.add_fault(at(10, 10, 7, 3), 1);
  counts.add_fault(Named{10, 10, 4, true, "sort"}, 0);
  counts.add_fault(at(10, 10, 7, 5), 1);
  ASSERT_EQ(counts.spaces().size(), 2);
  ASSERT_EQ(counts.threads().size(), 2);
  EXPECT_EQ(reads(counts, 0, 7), 2);
  EXPECT_EQ(reads(counts, 1, 7), 1);
  EXPECT_EQ(counts.space_at(10, 3), 0);
  EXPECT_EQ(counts.space_at(10, 6), 1);
}

TEST(SampleCounts, AThreadsNumberThatComesAgainIsAnotherThread) {
  Counts counts;
  counts.add_fault(Task{true, 10, 10, 11, 10, 1}, 0);
  counts.add_fault(at(10, 11, 7, 2), 1);
  counts.add_fault(Task{false, 10, 10, 11, 10, 3}, 0);
  counts.add_fault(Task{true, 10, 10, 11, 10, 4}, 0);
  counts.add_fault(at(10, 11, 7, 5), 1);
  ASSERT_EQ(counts.threads().size(), 2);
  EXPECT_EQ(counts.threads()[0].ended_ns, 3);
  EXPECT_EQ(counts.threads()[1].started_ns, 4);
  EXPECT_EQ(counts.threads()[1].creator_tid, 10);
  EXPECT_EQ(reads(counts, 0, 7), 1);
  EXPECT_EQ(reads(counts, 1, 7), 1);
}

TEST(SampleCounts, TheThreadThatWithdrawsPagesIsKnownByItsName) {
  Counts counts;
  counts.add_fault(at(10, 10, 7, 1), 1);
  counts.add_fault(Named{10, 11, 2, false, record::sample::kWithdrawingThread}, 0);
  ASSERT_EQ(counts.threads().size(), 2);
  EXPECT_FALSE(counts.threads()[0].withdraws);
  EXPECT_TRUE(counts.threads()[1].withdraws);
}

TEST(SampleCounts, LossIsCounted) {
  Counts counts;
  counts.add_fault(Lost{7, 1}, 0);
  counts.add_access(Lost{3, 1});
  EXPECT_EQ(counts.lost(), 10);
}

}  // namespace
}  // namespace Atoll::recording::sample
