// The recorder in child processes: content of the region after they ended in different ways.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

using record::current_thread;
using record::record;
using record::record_bytes;
using record::record_range;
using record::record_repeated;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATOLL_SIGNALS_WAIT 1
#endif
#endif
/// Delivers pending signals. ThreadSanitizer delivers signals only in calls that may block.
void let_signals_in() {
#ifdef ATOLL_SIGNALS_WAIT
  ::usleep(0);
#endif
}

const ThreadOnPage& only(const Pages& pages, std::uint64_t page, std::uint32_t process = 0) {
  return pages.pages.at({process, page}).threads.at(0);
}

TEST(Recorder, CountsReadsAndWritesByLineAndWord) {
  const Region region({.bytes = 64 << 20});
  EXPECT_EQ(in_child(region,
                     [] {
                       auto* thread = current_thread();
                       record(thread, kBase, 8, false);
                       record(thread, kBase + 8, 8, true);
                       record(thread, kBase + 64 + 60, 1, false);
                       record(thread, kBase + 4096 - 1, 1, true);
                     }),
            0);
  const Pages pages = read(region);
  ASSERT_EQ(pages.pages.size(), 1U);
  const ThreadOnPage& thread = only(pages, kBase >> 12);
  EXPECT_TRUE(thread.by_lines);
  EXPECT_EQ(thread.lines[0].reads, 1U);
  EXPECT_EQ(thread.lines[0].writes, 1U);
  EXPECT_EQ(thread.words[0], 0b11);
  EXPECT_EQ(thread.lines[1].reads, 1U);
  EXPECT_EQ(thread.words[1], 0x80);
  EXPECT_EQ(thread.lines[63].writes, 1U);
  EXPECT_EQ(thread.reads, 2U);
  EXPECT_EQ(thread.writes, 2U);
}

TEST(Recorder, AnAccessAcrossLinesCountsInBothAndSaysSo) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    record(current_thread(), kBase + 60, 8, false);
    record(current_thread(), kBase + 4094, 4, true);  // crosses a page
  });
  const Pages pages = read(region);
  EXPECT_EQ(only(pages, kBase >> 12).lines[0].reads, 1U);
  EXPECT_EQ(only(pages, kBase >> 12).lines[1].reads, 1U);
  EXPECT_EQ(only(pages, kBase >> 12).words[0], 0x80);
  EXPECT_EQ(only(pages, kBase >> 12).words[1], 0x01);
  EXPECT_EQ(only(pages, (kBase >> 12) + 1).lines[0].writes, 1U);
  EXPECT_EQ(split_accesses_of(RegionView(region.header())), 2U);
}

TEST(Recorder, LanesThatAreMaskedOutAreNotAccessed) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    record::record_lanes(current_thread(), kBase, 0xC003, 4, true);
    record::record_lanes(current_thread(), kBase + 64 + 32, 0x81, 8, false);  // in two lines
    record::record_lanes(current_thread(), kBase + 256, 0, 8, false);
    record::record_lanes(current_thread(), kBase + 320, 0x8001, 8, false);  // 128 bytes
  });
  const Pages pages = read(region);
  const ThreadOnPage& page = only(pages, kBase >> 12);
  EXPECT_EQ(page.words[0], 0x81);
  EXPECT_EQ(page.lines[0].writes, 1U);
  EXPECT_EQ(page.words[1], 0x10);
  EXPECT_EQ(page.words[2], 0x08);
  EXPECT_EQ(page.lines[1].reads, 1U);
  EXPECT_EQ(page.lines[2].reads, 1U);
  EXPECT_EQ(page.lines[4].reads, 0U);
  EXPECT_EQ(page.lines[5].reads + page.lines[6].reads, 16U);
  EXPECT_EQ(split_accesses_of(RegionView(region.header())), 1U);
}

TEST(Recorder, CountersWidenBeforeTheyWrap) {
  const Region region({.bytes = 64 << 20});
  constexpr std::uint64_t kMany = (std::uint64_t{3} << 32) + 5;
  in_child(region, [] {
    record_repeated(current_thread(), kBase, kMany, 8, true);
    record_repeated(current_thread(), kBase + 4096 + 64, record::kMaxReads, 8, false);
    record_repeated(current_thread(), kBase + 4096 + 64, 63, 8, false);
    record(current_thread(), kBase + 4096 + 64, 8, false);  // this access fills the counter
    record_repeated(current_thread(), kBase + 8192, record::kMaxReads, 8, false);
    record_repeated(current_thread(), kBase + 8192, 48, 8, false);
    record_repeated(current_thread(), kBase + 8192, record::kMaxWrites, 8, true);
    record_range(current_thread(), kBase + 8192, 2, 2048, 2, false);  // fills a line's counter
  });
  const Pages pages = read(region);
  EXPECT_EQ(only(pages, kBase >> 12).lines[0].writes, kMany);
  EXPECT_EQ(only(pages, (kBase >> 12) + 1).lines[1].reads, record::kMaxReads + 64);
  EXPECT_EQ(only(pages, (kBase >> 12) + 2).lines[0].reads, record::kMaxReads + 48 + 32);
  EXPECT_EQ(only(pages, (kBase >> 12) + 2).lines[0].writes, record::kMaxWrites);
  EXPECT_EQ(only(pages, (kBase >> 12) + 2).lines[1].reads, 32U);
}

TEST(Recorder, ThreadsByTheThousandEachHaveTheirOwn) {
  const Region region({.bytes = 256 << 20});
  constexpr int kThreads = 2000;
  in_child(region, [] {
    for (int i = 0; i < kThreads; i += 4) {
      std::vector<std::thread> four;
      for (int k = 0; k < 4; ++k)
        four.emplace_back([i, k] {
          record_range(current_thread(), kBase, 8, 512, 8, false);
          record(current_thread(), kBase + 4096U * (1 + i + k), 8, true);
          record::end_thread();
        });
      for (std::thread& thread : four) thread.join();
    }
  });
  const Pages pages = read(region);
  EXPECT_EQ(pages.pages.at({0, kBase >> 12}).threads.size(), kThreads);
  EXPECT_EQ(pages.reads(), 512U * kThreads);
  EXPECT_EQ(pages.writes(), kThreads);
  EXPECT_LT(region.header().used.load(), kThreads * 8192U) << "states are used again";
}

TEST(Recorder, AForkedChildIsAnotherProcess) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    auto* thread = current_thread();  // kept across the fork, as in compiled functions
    record(thread, kBase, 8, true);
    const pid_t child = ::fork();
    for (int i = 0; i < 100; ++i) record(thread, kBase, 8, child == 0);
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
  });
  const Pages pages = read(region);
  EXPECT_EQ(processes_of(RegionView(region.header())).size(), 2U);
  EXPECT_EQ(only(pages, kBase >> 12, 0).reads, 100U);
  EXPECT_EQ(only(pages, kBase >> 12, 0).writes, 1U);
  EXPECT_EQ(only(pages, kBase >> 12, 1).writes, 100U);
  EXPECT_EQ(only(pages, kBase >> 12, 1).reads, 0U);
}

TEST(Recorder, AChildThatLibcDidNotForkIsSeenAtItsFirstNewPage) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    auto* thread = current_thread();
    record(thread, kBase, 8, true);
    const long child = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) record(thread, kBase + 4096, 8, true);  // the parent has no slot for this page
    for (int i = 0; i < 100; ++i) record(thread, kBase, 8, child == 0);
    if (child == 0) ::syscall(SYS_exit_group, 0);
    ::waitpid(static_cast<pid_t>(child), nullptr, 0);
  });
  const Pages pages = read(region);
  EXPECT_EQ(processes_of(RegionView(region.header())).size(), 2U);
  EXPECT_EQ(only(pages, kBase >> 12, 0).reads, 100U);
  EXPECT_EQ(only(pages, kBase >> 12, 0).writes, 1U);
  EXPECT_EQ(only(pages, kBase >> 12, 1).writes, 100U);
  EXPECT_EQ(only(pages, (kBase >> 12) + 1, 1).writes, 1U);
}

TEST(Recorder, CoreDumpsAreWithoutTheRegion) {
  const Region region({.bytes = 64 << 20});
  const int status = in_child(region, [] {
    char begin[32];
    std::snprintf(begin, sizeof begin, "%lx-", reinterpret_cast<unsigned long>(record::header()));
    std::ifstream maps("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
      if (line.find("memfd:atoll-recording") != std::string::npos) inside = line.starts_with(begin);
      if (inside && line.starts_with("VmFlags:"))
        ::_exit((line + " ").find(" dd ") != std::string::npos ? 0 : 1);
    }
    ::_exit(2);
  });
  EXPECT_EQ(status, 0);
}

TEST(Recorder, NothingIsLostWhereAProcessIsKilled) {
  const Region region({.bytes = 64 << 20});
  const int status = in_child(region, [] {
    for (std::uint64_t i = 0; i < 100'000; ++i) record(current_thread(), kBase + 8 * i, 8, false);
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(read(region).reads(), 100'000U);
}

TEST(Recorder, AShareOfThePagesIsThatShare) {
  const Region region({.bytes = 256 << 20, .page_share = 0.25});
  in_child(region, [] {
    for (std::uint64_t page = 0; page < 20'000; ++page)
      record(current_thread(), kBase + 4096 * page, 8, false);
  });
  const auto pages = static_cast<double>(read(region).pages.size());
  EXPECT_NEAR(pages / 20'000, 0.25, 0.02);
}

TEST(Recorder, WhatIsSampledIsNotCountedToo) {
  const Region region({.bytes = 64 << 20, .mode = record::Mode::samples});
  in_child(region, [] {
    record(current_thread(), kBase + 60, 8, true);
    record_range(current_thread(), kBase, 8, 5000, 8, false);
  });
  const RegionView view(region.header());
  EXPECT_TRUE(read(region).pages.empty());
  EXPECT_TRUE(losses_of(view).empty());
  EXPECT_EQ(split_accesses_of(view), 0U);
}

TEST(Recorder, RecordsWhileSwitchedOn) {
  const Region region({.bytes = 64 << 20, .begin_recording = false});
  in_child(region, [] {
    record(current_thread(), kBase, 8, false);
    record::set_paused(record::kBeforeTime, false);
    record(current_thread(), kBase, 8, true);
    record::set_paused(record::kBeforeTime, true);
    record(current_thread(), kBase, 8, false);
  });
  EXPECT_EQ(read(region).writes(), 1U);
  EXPECT_EQ(read(region).reads(), 0U);
}

TEST(Recorder, EpochsMergeInPairsAsTheRunGoesOn) {
  Region region({.bytes = 64 << 20});
  constexpr std::uint64_t kStart = 1'000'000'000;
  region.tick(kStart);
  const std::uint64_t first = region.epoch_ns();
  const auto access = [&](std::uint64_t page) {
    in_child(region, [&] { record(current_thread(), kBase + 4096 * page, 8, false); });
  };
  access(0);
  region.tick(kStart + 3 * first);
  access(1);
  region.tick(kStart + 63 * first);
  access(2);
  EXPECT_EQ(region.epoch_ns(), first);
  region.tick(kStart + 64 * first);
  EXPECT_EQ(region.epoch_ns(), 2 * first);
  access(3);
  const Pages pages = read(region);
  std::vector<std::uint64_t> epochs;
  for (const auto& [at, page] : pages.pages) epochs.push_back(page.threads.at(0).epochs);
  EXPECT_EQ(epochs,
            (std::vector<std::uint64_t>{1U << 0, 1U << 1, 1U << 31, std::uint64_t{1} << 32}));
}

TEST(Recorder, TicksClearSlotsOfLivingThreadsAndLoseNothing) {
  Region region({.bytes = 64 << 20});
  const pid_t child = ::fork();
  if (child == 0) {
    if (!record::attach(region.path().c_str())) ::_exit(99);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([] {
        for (std::uint64_t k = 0; k < 3'000'000; ++k)
          record(current_thread(), kBase + 64 * (k % 640), 8, false);
      });
    for (std::thread& thread : threads) thread.join();
    ::_exit(0);
  }
  int status = 0;
  for (std::uint64_t now = 1; ::waitpid(child, &status, WNOHANG) == 0; now += 10'000'000) {
    region.tick(now);
    ::usleep(200);
  }
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read(region).reads(), 9'000'000U);
}

std::uint64_t handled = 0;
void on_signal(int) {
  ++handled;
  record(current_thread(), kBase + 4096 * 2000, 8, true);
}

TEST(Recorder, SignalHandlersCountToo) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    ::sigaction(SIGALRM, &action, nullptr);
    const itimerval often = {{0, 100}, {0, 100}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    std::mt19937_64 random(2);
    while (handled < 2000) {
      record(current_thread(), kBase + 4096 * (random() % 3000), 8, false);
      let_signals_in();
    }
    ::setitimer(ITIMER_REAL, nullptr, nullptr);
    record_repeated(current_thread(), kBase + 4096 * 4000, handled, 8, true);
  });
  const Pages pages = read(region);
  std::uint64_t ignored = 0;
  for (const Loss& loss : losses_of(RegionView(region.header()))) ignored += loss.count;
  const std::uint64_t handled_there = only(pages, (kBase >> 12) + 4000).writes;
  std::uint64_t recorded = 0;
  for (const ThreadOnPage& thread : pages.pages.at({0, (kBase >> 12) + 2000}).threads)
    recorded += thread.writes;
  EXPECT_EQ(recorded + ignored, handled_there);
  EXPECT_GT(recorded, handled_there / 2);
}

TEST(Recorder, WithoutARegionNothingHappens) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::unsetenv(record::kVariable);
    auto* thread = current_thread();
    for (std::uint64_t i = 0; i < 10'000; ++i) record(thread, kBase + 64 * i, 8, true);
    record::end_thread();
    ::_exit(record::attached() ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Recorder, ADamagedRegionIsReadAsFarAsItGoes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    Region region({.bytes = 1 << 20});
    in_child(region, [] {
      record_range(current_thread(), kBase, 64, 1000, 8, false);
      record::emit(current_thread(), record::EventKind::name, "x", 2);
    });
    auto* words = reinterpret_cast<std::uint64_t*>(&region.header());
    const std::uint64_t used = region.header().used.load() / 8;
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t at = 2 + random() % (used - 2);
      if (at == 0 || at == 1) continue;
      words[at] = i % 2 == 0 ? random() : random() % region.header().bytes;
    }
    static_cast<void>(read(region));
    static_cast<void>(losses_of(RegionView(region.header())));
  }
}

/// Without clone3, libc writes to a new thread's stack before the thread begins. The recorder takes
/// these writes back.
TEST(Recorder, AWriteThatIsTakenBackTouchesNothing) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    record::ThreadState* thread = record::start_thread();
    const std::uint64_t own = kBase, shared = kBase + kPageBytes, both = kBase + 2 * kPageBytes;
    record::record(thread, both, 8, true);
    for (const std::uint64_t page : {own, shared, both}) {
      for (const std::uint64_t at : {56, 64}) record::record(thread, page + at, 8, true);
      for (const std::uint64_t at : {56, 64}) record::take_back_write(thread, page + at);
    }
    std::thread([&] {
      for (const std::uint64_t page : {own, both})
        record::record(record::start_thread(), page, 8, true);
      record::record(record::start_thread(), shared + 64, 8, false);
      record::end_thread();
    }).join();
    record::record(thread, shared, 8, false);
  });
  const Pages pages = read(region);
  const std::uint64_t first = kBase / kPageBytes;
  const auto& own = pages.pages.at({0, first}).threads;
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].thread, 1U);
  const auto& shared = pages.pages.at({0, first + 1}).threads;
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_GT(shared[0].first_access, shared[1].first_access);
  EXPECT_EQ(shared[0].writes, 0U);
  EXPECT_EQ(shared[0].words[1], 0U);
  const auto& both = pages.pages.at({0, first + 2}).threads;
  ASSERT_EQ(both.size(), 2U);
  EXPECT_LT(both[0].first_access, both[1].first_access);
  EXPECT_EQ(both[0].writes, 1U);
}

}  // namespace
}  // namespace Atoll::recording
