// Pages of the simulated program are mapped, unmapped and moved as in Linux. Compared with a map of
// all 4 KiB pages, and checked by the traffic of small programs.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "atoll/machine/machine.hpp"
#include "simulate/memory_calls.hpp"
#include "simulate/placement.hpp"
#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr std::uint64_t kSmall = 4096, kHuge = 2U << 20;

TEST(SimulatePages, ComeAndGoAsInAMap) {
  Pages pages({0}, 6);
  pages.number_pages(8);
  std::map<std::uint64_t, std::uint16_t> known;  // maps the number of each 4 KiB page to its node
  std::mt19937_64 random(7);
  const std::uint64_t all = 6 * kHuge;
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t begin = random() % (all / kSmall) * kSmall;
    const std::uint64_t end = std::min(all, begin + (1 + random() % 700) * kSmall);
    const auto home = static_cast<std::uint16_t>(random() % 8);
    Page page;
    switch (random() % 4) {
      case 0:
        if (pages.find(1, begin, page)) break;
        pages.place(1, begin, {.size = PageClass::small, .home = home});
        known[begin / kSmall] = home;
        break;
      case 1: {
        const std::uint64_t first = begin / kHuge * kHuge;
        bool is_free = true;
        for (std::uint64_t at = first; at < first + kHuge; at += kSmall)
          is_free = is_free && !pages.find(1, at, page);
        if (!is_free) break;
        pages.place(1, first, {.size = PageClass::huge, .home = home});
        for (std::uint64_t i = 0; i < 512; ++i) known[first / kSmall + i] = home;
        break;
      }
      case 2: {
        std::uint64_t dropped = 0;
        pages.discard(1, begin, end, [&](const Page& gone) { dropped += Pages::bytes_of(gone); });
        std::uint64_t expected = 0;
        for (std::uint64_t at = begin; at < end; at += kSmall)
          expected += known.erase(at / kSmall) * kSmall;
        ASSERT_EQ(dropped, expected);
        break;
      }
      case 3: {
        const std::uint64_t to = all * (2 + random() % 2) + random() % 3 * kSmall;
        pages.remap(1, begin, end, to);
        for (std::uint64_t at = begin; at < end; at += kSmall) {
          const auto found = known.find(at / kSmall);
          ASSERT_EQ(pages.find(1, at, page), false);
          ASSERT_EQ(pages.find(1, at - begin + to, page), found != known.end());
          if (found != known.end()) {
            ASSERT_EQ(page.home, found->second);
          }
        }
        pages.remap(1, to, to + (end - begin), begin);
        break;
      }
    }
    for (std::uint64_t at = begin; at < end; at += kSmall) {
      const auto found = known.find(at / kSmall);
      ASSERT_EQ(pages.find(1, at + 99, page), found != known.end()) << round;
      if (found != known.end()) {
        ASSERT_EQ(page.home, found->second);
      }
    }
  }
  // The range is larger than all existing pages.
  std::uint64_t dropped = 0;
  pages.discard(1, 0, std::uint64_t{1} << 46,
                [&](const Page& gone) { dropped += Pages::bytes_of(gone); });
  EXPECT_EQ(dropped, known.size() * kSmall);
}

TEST(SimulatePages, PartsOfAHugePageAreWhereTheyWereInMemory) {
  Pages pages({0}, 6);
  pages.number_pages(1);
  pages.place(0, 0, {.size = PageClass::small, .home = 0});
  pages.place(0, kHuge, {.size = PageClass::huge, .home = 0});
  const std::uint64_t before = pages.line_in_memory(line_key(0, kHuge + 5 * kSmall + 64, 6));
  pages.split(0, kHuge + 77);
  EXPECT_EQ(pages.line_in_memory(line_key(0, kHuge + 5 * kSmall + 64, 6)), before);
  EXPECT_EQ(pages.touched()[0], 1U);
  EXPECT_EQ(pages.touched()[1], 1U);
}

/// Appends an access to each line of `pages` pages.
void access_pages(std::vector<TestRecord>& records, std::uint64_t page, std::uint64_t pages,
                  bool write) {
  for (std::uint64_t at = 0; at < pages * kSmall; at += 64)
    records.push_back(StyledAccess{.address = page * kSmall + at, .write = write});
}
recording::StreamPlacement populate(std::uint64_t page, std::uint64_t pages, bool write) {
  return {.kind = recording::RecordKind::pages_populated,
          .address = page * kSmall,
          .bytes = pages * kSmall,
          .by_write = write};
}

/// Runs two threads, on nodes 0 and 1.
Ran both(std::vector<TestRecord> first, std::vector<TestRecord> second, bool shares_zeros = false) {
  const SmallMachine machine(1);
  SyntheticProgram program;
  program.pages = PageClass::small;
  program.shares_zeros = shares_zeros;
  program.threads = {executes(std::move(first)), executes(std::move(second))};
  return run(machine, program);
}

constexpr std::uint64_t kPages = 64, kBytes = kPages * kSmall;

TEST(SimulatePages, AreWhereTheThreadIsThatHasTheKernelMapThem) {
  std::vector<TestRecord> uses{took(1, 1)};
  access_pages(uses, 100, kPages, true);
  const Ran ran = both({populate(100, kPages, true), posted(1, 1)}, uses);
  EXPECT_GE(ran.traffic[2], kBytes);  // node 1 reads from memory 0
  EXPECT_LT(ran.traffic[3], kBytes / 8);
}

TEST(SimulatePages, ReadsMapZerosUntilTheFirstWrite) {
  std::vector<TestRecord> reads, writes{took(1, 1)};
  for (int round = 0; round < 4; ++round) access_pages(reads, 100, kPages, false);
  reads.push_back(posted(1, 1));
  access_pages(writes, 100, kPages, true);
  const Ran zeros = both(reads, writes, true);
  EXPECT_LT(zeros.traffic[0], kBytes / 8);  // node 0 reads the zero page, and page tables
  EXPECT_GE(zeros.traffic[3], kBytes);      // the first writer allocates the page
  const Ran allocated = both(reads, writes, false);
  EXPECT_GE(allocated.traffic[0], kBytes);
  EXPECT_GE(allocated.traffic[2], kBytes);
  // If a loop reads and writes a page, later reads use the allocated page.
  std::vector<TestRecord> reads_and_writes;
  for (std::uint64_t at = 0; at < kBytes; at += 8) {
    reads_and_writes.push_back(StyledAccess{.address = kBytes + at});
    reads_and_writes.push_back(StyledAccess{.address = kBytes + at, .write = true});
  }
  EXPECT_GE(both({}, reads_and_writes, true).traffic[3], kBytes);
}

TEST(SimulatePages, AWriteToALargeZeroPageReplacesItForAllThreads) {
  const SmallMachine machine(1);
  SyntheticProgram program;
  program.pages = PageClass::huge;
  program.shares_zeros = true;
  // Node 1 reads the zero page, node 0 writes its small pages, and node 1 reads these.
  std::vector<TestRecord> writes{took(1, 1)}, reads;
  reads.push_back(StyledAccess{.address = kHuge});
  reads.push_back(posted(1, 1));
  access_pages(writes, kHuge / kSmall, kPages, true);
  writes.push_back(posted(2, 1));
  reads.push_back(took(2, 1));
  access_pages(reads, kHuge / kSmall, kPages, false);
  program.threads = {executes(writes), executes(reads)};
  const Ran ran = run(machine, program);
  EXPECT_GE(ran.traffic[2],
            kBytes / 2);  // node 1 reads from memory 0 what the caches of node 0 don't hold
}

TEST(SimulatePages, PopulatedForReadsAreZeros) {
  std::vector<TestRecord> reads{populate(100, kPages, false)}, writes{populate(100, kPages, false)};
  access_pages(reads, 100, kPages, false);
  access_pages(writes, 100, kPages, true);
  EXPECT_LT(both({}, reads, true).traffic[3], kBytes / 8);
  EXPECT_GE(both({}, writes, true).traffic[3], kBytes);
}

TEST(SimulatePages, AreTouchedAnewWhenTheyWereGivenBack) {
  std::vector<TestRecord> first, second{took(1, 1)};
  access_pages(first, 100, kPages, true);
  first.push_back(recording::StreamPlacement{
      .kind = recording::RecordKind::pages_discarded, .address = 100 * kSmall, .bytes = kBytes});
  first.push_back(posted(1, 1));
  access_pages(second, 100, kPages, true);
  EXPECT_GE(both(first, second).traffic[3], kBytes * 7 / 8);
}

TEST(SimulatePages, KeepTheirMemoryWhenTheirAddressChanges) {
  std::vector<TestRecord> first, second{took(1, 1)};
  access_pages(first, 100, kPages, true);
  first.push_back(recording::StreamPlacement{.kind = recording::RecordKind::pages_remapped,
                                             .address = 100 * kSmall,
                                             .bytes = kBytes,
                                             .new_address = 1000 * kSmall});
  first.push_back(posted(1, 1));
  access_pages(second, 1000, kPages, true);
  EXPECT_GE(both(first, second).traffic[2], kBytes);
}

// Memory policies of numa(7), on the eight nodes of opteron-8x8.
TEST(SimulatePlacement, FollowsThePoliciesOfLinux) {
  const Machine machine = Machine::open("opteron-8x8");
  const Model model = model_of(machine);
  const MemoryCalls calls(model);
  const Placement placement(machine, model, {}, {0});
  const auto wanted = [&](std::uint64_t mode, std::vector<std::uint64_t> mask, std::uint64_t page,
                          std::uint32_t node, PageClass size = PageClass::small) {
    recording::StreamPlacement call;
    call.mode = mode;
    call.mask = mask;
    return placement.wanted(calls.policy_of(call), page * kSmall, size, node);
  };
  constexpr std::uint64_t kDefault = 0, kPreferred = 1, kBind = 2, kInterleave = 3, kLocal = 4,
                          kMany = 5;
  EXPECT_EQ(wanted(kDefault, {}, 0, 3), std::nullopt);
  EXPECT_EQ(wanted(kLocal, {}, 0, 3), 3);
  EXPECT_EQ(wanted(kPreferred, {0b10'0000}, 0, 3), 5);
  EXPECT_EQ(wanted(kPreferred, {}, 0, 3), 3);
  // Chooses the thread's own node, or the nearest of several: node 1 is nearer to node 0 than node
  // 3.
  for (const std::uint64_t mode : {kBind, kMany}) {
    EXPECT_EQ(wanted(mode, {0b1010}, 0, 3), 3);
    EXPECT_EQ(wanted(mode, {0b1010}, 0, 0), 1);
    EXPECT_LT(machine.link(NodeId{0}, NodeId{1}).distance,
              machine.link(NodeId{0}, NodeId{3}).distance);
  }
  // Interleaved pages are numbered by address, independent of the mapping's begin; huge pages have
  // their own numbers.
  for (std::uint64_t page = 0; page < 2000; page += 7) {
    EXPECT_EQ(wanted(kInterleave, {0b1011}, page, 4), (std::vector{0, 1, 3})[page % 3]);
    EXPECT_EQ(wanted(kInterleave, {0b1011}, page, 4, PageClass::huge),
              (std::vector{0, 1, 3})[page / 512 % 3]);
  }
}

TEST(SimulatePlacement, PoliciesEndWithTheirMapping) {
  const Model model = model_of(Machine::open("opteron-8x8"));
  MemoryCalls calls(model);
  const std::vector<std::uint64_t> mask{0b100};
  calls.range(0, {.kind = recording::RecordKind::policy_of_range,
                  .address = kSmall,
                  .bytes = 4 * kSmall,
                  .mode = 2,
                  .mask = mask});
  calls.fork(0, 1);
  calls.forget(0, 2 * kSmall, 3 * kSmall);
  EXPECT_NE(calls.policy_at(0, kSmall), nullptr);
  EXPECT_EQ(calls.policy_at(0, 2 * kSmall), nullptr);
  EXPECT_NE(calls.policy_at(0, 3 * kSmall), nullptr);
  EXPECT_NE(calls.policy_at(1, 2 * kSmall), nullptr);
}

}  // namespace
}  // namespace Atoll::simulate
