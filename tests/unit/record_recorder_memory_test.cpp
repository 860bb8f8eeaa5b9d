// The recorder in child processes with too little memory: all losses are reported.
#include <signal.h>

#include <thread>
#include <vector>

#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

using record::current_thread;
using record::record;
using record::record_range;
using record::record_repeated;

TEST(Recorder, AForkedChildWithoutMemoryGoesOnUncounted) {
  const Region region({.bytes = 64 << 20});
  const int status = in_child(region, [] {
    auto* thread = current_thread();
    record(thread, kBase, 8, true);
    record::header()->used = record::header()->bytes;
    const pid_t child = ::fork();
    record(thread, kBase, 8, false);
    record(current_thread(), kBase, 8, false);
    if (child == 0) ::_exit(0);
    int ended = 1;
    ::waitpid(child, &ended, 0);
    ::_exit(ended == 0 ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read(region).reads(), 2U);  // only the parent's reads are counted
}

TEST(Recorder, WhereMemoryIsShortPagesLoseTheirLinesButNoAccess) {
  const Region region({.bytes = 1 << 20});
  constexpr std::uint64_t kPages = 2500;  // with 552 bytes each, they would take 1.4 MB
  constexpr std::uint64_t kMany = std::uint64_t{5} << 32;
  const int status = in_child(region, [] {
    for (int round = 0; round < 3; ++round)
      for (std::uint64_t page = 0; page < kPages; ++page)
        record_range(current_thread(), kBase + 4096 * page, 64, 64, 8, round == 0);
    record_repeated(current_thread(), kBase + 4096 * (kPages - 1), kMany, 8, true);
    ::kill(::getpid(), SIGKILL);  // while scratch blocks have unsaved counts
  });
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  const Pages pages = read(region);
  EXPECT_EQ(pages.pages.size(), kPages);
  EXPECT_EQ(pages.reads(), 2 * 64 * kPages);
  EXPECT_EQ(pages.writes(), 64 * kPages + kMany);
  const std::vector<Loss> losses = losses_of(RegionView(region.header()));
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_GT(losses[0].count, kPages / 2);
  EXPECT_LE(region.header().used.load(), region.header().bytes);
}

TEST(Recorder, WhereMemoryIsOutAccessesAreCountedAsDropped) {
  const Region region({.bytes = 1 << 20});
  constexpr std::uint64_t kPages = 100'000, kMany = std::uint64_t{5} << 32;
  in_child(region, [] {
    for (std::uint64_t page = 0; page < kPages; ++page)
      record(current_thread(), kBase + 4096 * page, 8, false);
    record_repeated(current_thread(), kBase + 4096 * kPages, kMany, 8, false);
  });
  std::uint64_t dropped = 0;
  for (const Loss& loss : losses_of(RegionView(region.header())))
    if (loss.kind == LossKind::accesses_dropped) dropped = loss.count;
  EXPECT_GT(dropped, kMany);
  EXPECT_EQ(read(region).reads() + dropped, kPages + kMany);
}

// The states of ended threads are reused by new threads, whose scratch blocks may have fewer
// counters.
TEST(Recorder, ThreadsThatShareTheLastMemoryLoseNothingUntold) {
  constexpr std::uint64_t kThreads = 3;  // a fourth thread would get no record
  bool was_short = false;
  for (std::uint64_t pages = 300; pages < 900; pages += 13) {
    const Region region({.bytes = 1 << 20});
    const int status = in_child(region, [pages] {
      for (std::uint64_t i = 0; i < kThreads; ++i)
        std::thread([pages] {
          for (std::uint64_t page = 0; page < pages; ++page)
            record(current_thread(), kBase + 4096 * page, 8, true);
          record::end_thread();
        }).join();
    });
    EXPECT_EQ(status, 0);
    std::uint64_t dropped = 0;
    for (const Loss& loss : losses_of(RegionView(region.header())))
      if (loss.kind == LossKind::accesses_dropped) dropped = loss.count;
    EXPECT_EQ(read(region).writes() + dropped, kThreads * pages);
    was_short = was_short || dropped > 0;
  }
  EXPECT_TRUE(was_short);
}

}  // namespace
}  // namespace Atoll::recording
