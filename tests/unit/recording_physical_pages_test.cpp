// Detection of shared physical pages, compared with page tables that fork copies, and its use when
// a region is read.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "recording/pages/physical_pages.hpp"
#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

using Kind = PhysicalPages::Kind;
using Place = PhysicalPages::Place;

constexpr std::uint64_t kPages = 40;

/// Entry of a process's page table.
struct Cell {
  std::pair<std::uint64_t, std::uint64_t> memory;
  bool shared = false;
  bool copied = false;  ///< copy-on-write: copied when the process writes to it
};
using Table = std::vector<Cell>;

/// Processes that map memory and fork randomly. It is decided in advance which pages each process
/// writes to.
class Simulation {
 public:
  explicit Simulation(std::minstd_rand& random) : random_(random) {
    constexpr std::size_t kProcesses = 12, kEvents = 150;
    std::vector<std::uint32_t> forker(kEvents, kNone);
    tables.resize(1);
    std::uint32_t alive = 1;
    std::vector<std::uint32_t> parents{kNone};
    std::vector<std::uint64_t> forked_at{0};
    for (std::uint64_t event = 0; event < kEvents; ++event) {
      if (alive == kProcesses || random_() % 8 != 0) continue;
      forker[event] = static_cast<std::uint32_t>(random_() % alive++);
      parents.push_back(random_() % 4 == 0 ? kNone : forker[event]);  // kNone: it calls exec
      forked_at.push_back(event);
    }
    for (std::size_t i = 0; i < parents.size(); ++i) pages.add_process(parents[i], forked_at[i]);
    wrote.resize(parents.size(), std::vector<bool>(kPages));
    for (std::vector<bool>& of : wrote)
      for (std::uint64_t page = 0; page < kPages; ++page) of[page] = random_() % 4 == 0;
    tables[0] = fresh(0);
    for (std::uint64_t event = 0; event < kEvents; ++event) {
      if (forker[event] == kNone) {
        map(static_cast<std::uint32_t>(random_() % tables.size()), event);
        continue;
      }
      const auto child = static_cast<std::uint32_t>(tables.size());
      tables.push_back(parents[child] == kNone ? fresh(child) : inherited(parents[child]));
    }
  }

  [[nodiscard]] Cell cell(Place place) const {
    const Cell& cell = tables[place.process][place.page];
    if (!cell.copied || !wrote[place.process][place.page]) return cell;
    return {.memory = {kCopies + place.process, place.page}, .copied = true};
  }

  std::vector<Table> tables;
  std::vector<std::vector<bool>> wrote;
  PhysicalPages pages;

 private:
  static constexpr std::uint64_t kCopies = 1'000'000, kFresh = 2'000'000, kFiles = 3'000'000;

  static Table fresh(std::uint32_t process) {
    Table table(kPages);
    for (std::uint64_t page = 0; page < kPages; ++page)
      table[page].memory = {kFresh + process, page};
    return table;
  }
  [[nodiscard]] Table inherited(std::uint32_t parent) const {
    Table table(kPages);
    for (std::uint64_t page = 0; page < kPages; ++page) {
      table[page] = cell({parent, page});
      table[page].copied = !table[page].shared;
    }
    return table;
  }
  void map(std::uint32_t process, std::uint64_t event) {
    const std::uint64_t begin = random_() % kPages, end = begin + 1 + random_() % (kPages - begin);
    const std::uint64_t first = random_() % 10, file = random_() % 3, what = random_() % 4;
    ++mapped_;
    if (what == 0) pages.put_own(process, begin, end, event);
    if (what == 1)
      pages.put(process, begin, end, event, Kind::shared, pages.new_memory({process, begin}),
                first);
    if (what > 1)
      pages.put(process, begin, end, event, what == 2 ? Kind::shared : Kind::copied,
                pages.memory_of_file(5, file, {process, begin - first}), first);
    for (std::uint64_t page = begin; page < end; ++page)
      tables[process][page] = {.memory = {what > 1 ? kFiles + file : mapped_, page - begin + first},
                               .shared = what == 1 || what == 2,
                               .copied = what == 3};
  }

  std::minstd_rand& random_;
  std::uint64_t mapped_ = 0;
};

TEST(TracePhysicalPages, AgreeWithTablesOfPages) {
  std::minstd_rand random(7);
  std::size_t together = 0;
  for (int round = 0; round < 100; ++round) {
    const Simulation simulation(random);
    const PhysicalPages::Writes writes{
        .wrote = [&](Place place) { return simulation.wrote[place.process][place.page]; },
        .copied = [](Place) { return false; }};
    std::map<std::pair<std::uint64_t, std::uint64_t>, PhysicalPages::Memory> known;
    std::map<PhysicalPages::Memory, std::pair<std::uint64_t, std::uint64_t>> back;
    for (std::uint32_t process = 0; process < simulation.tables.size(); ++process)
      for (std::uint64_t page = 0; page < kPages; ++page) {
        const auto cell = simulation.cell({process, page}).memory;
        const PhysicalPages::Memory memory = simulation.pages.memory_of({process, page}, writes);
        ASSERT_EQ(known.try_emplace(cell, memory).first->second, memory);
        ASSERT_EQ(back.try_emplace(memory, cell).first->second, cell);
      }
    together += simulation.tables.size() * kPages - known.size();
  }
  EXPECT_GT(together, 5'000U);
}

const PhysicalPages::Writes kNoWrites{.wrote = [](Place) { return false; },
                                      .copied = [](Place) { return false; }};

TEST(TracePhysicalPages, WhatIsMovedStaysWhatItWas) {
  PhysicalPages pages;
  pages.add_process(kNone, 0);
  pages.add_process(0, 5);
  const std::uint64_t file = pages.memory_of_file(1, 2, {0, 100});
  pages.put(0, 100, 110, 1, Kind::shared, file, 0);
  pages.put_own(0, 200, 210, 2);
  pages.move(1, 103, 500, 512, 6);  // inherited from the parent, and extended
  pages.move(1, 200, 600, 610, 7);
  EXPECT_EQ(pages.memory_of({1, 500}, kNoWrites), pages.memory_of({0, 103}, kNoWrites));
  EXPECT_EQ(pages.home_of(pages.memory_of({1, 511}, kNoWrites)), (Place{0, 114}));
  EXPECT_NE(pages.memory_of({1, 600}, kNoWrites), pages.memory_of({0, 200}, kNoWrites));
}

TEST(TracePhysicalPages, WhatTheSystemCopiedIsTheChilds) {
  PhysicalPages pages;
  pages.add_process(kNone, 0);
  pages.add_process(0, 5);
  pages.put_own(0, 10, 20, 1);
  pages.put(0, 30, 40, 2, Kind::copied, pages.memory_of_file(1, 2, {0, 30}), 0);
  const PhysicalPages::Writes faults{.wrote = [](Place) { return false; },
                                     .copied = [](Place place) { return place.process == 1; }};
  EXPECT_NE(pages.memory_of({1, 10}, faults), pages.memory_of({0, 10}, faults));
  // In a file mapping, such a fault only maps the page.
  EXPECT_EQ(pages.memory_of({1, 30}, faults), pages.memory_of({0, 30}, faults));
}

/// Two child processes write twice to a page of shared memory. Both read a page that the parent
/// initialized.
TEST(TracePhysicalPages, AreReadAsOneWithTheThreadsOfAll) {
  const Region region({.bytes = 64 << 20});
  constexpr std::uint64_t kShared = kBase, kTable = kBase + 0x10000, kElsewhere = kBase + 0x20000;
  in_child(region, [] {
    using record::record;
    record(record::current_thread(), kTable, 8, true);
    for (int i = 0; i < 2; ++i) {
      if (::fork() == 0) {
        record::ThreadState* thread = record::current_thread();
        record(thread, i == 0 ? kShared : kElsewhere, 8, true);
        record(thread, i == 0 ? kShared : kElsewhere, 8, true);
        record(thread, kTable, 8, false);
        ::_exit(0);
      }
      ::wait(nullptr);
    }
  });
  PhysicalPages pages;
  pages.add_process(kNone, 0);
  pages.add_process(0, 2);
  pages.add_process(0, 3);
  const std::uint64_t file = pages.memory_of_file(1, 2, {1, kShared >> 12});
  pages.put(1, kShared >> 12, (kShared >> 12) + 1, 10, Kind::shared, file, 0);
  pages.put(2, kElsewhere >> 12, (kElsewhere >> 12) + 1, 11, Kind::shared, file, 0);
  EXPECT_EQ(read(region).pages.size(), 5U);  // without sharing, each process has its own pages
  const Pages found = read(region, pages);
  ASSERT_EQ(found.pages.size(), 2U);
  const std::vector<ThreadOnPage>& table = found.pages.at({0, kTable >> 12}).threads;
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].writes, 1U);
  EXPECT_EQ(table[1].lines[0].reads, 1U);
  const std::vector<ThreadOnPage>& shared = found.pages.at({1, kShared >> 12}).threads;
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].thread, 1U);
  EXPECT_EQ(shared[0].writes, 2U);
  EXPECT_EQ(shared[1].lines[0].writes, 2U);
}

/// Each of many processes inherits many mappings.
TEST(TracePhysicalPages, AMillionTakeASecond) {
  PhysicalPages pages;
  constexpr std::uint64_t kMappings = 10'000, kMany = 1'000'000;
  pages.add_process(kNone, 0);
  for (std::uint32_t child = 1; child < 100; ++child) pages.add_process(0, 100 * child);
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kMappings; ++i)
    pages.put(0, 1000 * i, 1000 * i + 900, i, i % 2 == 0 ? Kind::shared : Kind::own,
              pages.new_memory({0, 1000 * i}), 0);
  for (std::uint64_t i = 0; i < kMany; ++i)
    (void)pages.memory_of({static_cast<std::uint32_t>(i % 100), i * 10}, kNoWrites);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 5);  // 0.5 s on an idle machine
}

}  // namespace
}  // namespace Atoll::recording
