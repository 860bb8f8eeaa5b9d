// Common behaviour of all engines: sizes, alignments, fills, many concurrent transfers,
// cancellation, refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "atoll/base/error.hpp"
#include "memory_copy_support.hpp"

namespace Atoll::memory {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::byte kUntouched{0xa5};

class CopyEnginesTest : public testing::TestWithParam<TransferOptions> {
 protected:
  CopyEnginesTest() {
    engines_.add(parallel_engine(team_));
    engines_.add(unpinned_background());
    engines_.add(std::make_unique<PlainEngine>("plain"));
  }
  const TransferOptions& how() const { return GetParam(); }
  bool one_engine() const { return how().share == 1; }

  const Team team_{two_places(), Team::Runtime::std_threads, false};
  CopyEngines engines_;
};

TEST_P(CopyEnginesTest, CopiesAnySizeAtAnyAlignment) {
  std::mt19937 random(1);
  const Bytes source = random_bytes(3'000'000, 2);
  for (const std::size_t most : {0, 1, 70, 5'000, 100'000, 2'900'000})
    for (int round = 0; round < 4; ++round) {
      const std::size_t bytes = most == 0 ? 0 : random() % most + 1;
      const std::size_t to = 1 + random() % 99, from = random() % 99;
      Bytes target(bytes + 200, kUntouched), expected = target;
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      Transfer transfer =
          engines_.start_copy(target.data() + to, source.data() + from, bytes, how());
      transfer.wait();
      EXPECT_TRUE(transfer.poll().done);
      EXPECT_EQ(transfer.poll().bytes, bytes);
      transfer.wait();
      EXPECT_EQ(transfer.cancel(), bytes);
      ASSERT_TRUE(target == expected) << bytes << " bytes to " << to << " from " << from;
    }
}

TEST_P(CopyEnginesTest, FillsElementsOfAnySize) {
  for (const std::size_t width : {1, 3, 8, 24, 100, 20'000}) {
    const Bytes element = random_bytes(width, 7);
    const std::size_t bytes = width * (1'500'000 / width);
    Bytes target(bytes + 2, kUntouched);
    engines_.start_fill(target.data() + 1, element, bytes, how()).wait();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += target[1 + i] != element[i % width];
    EXPECT_EQ(wrong, 0u) << width;
    EXPECT_EQ(target.front(), kUntouched);
    EXPECT_EQ(target.back(), kUntouched);
  }
}

TEST_P(CopyEnginesTest, ManyPiecesOnSeveralNodes) {
  std::mt19937 random(8);
  const Bytes source = random_bytes(2'000'000, 9);
  Bytes target(source.size(), kUntouched), expected = target;
  CopyJob job;
  for (std::size_t at = 0; at + 9000 < source.size(); at += 9000) {
    const std::size_t bytes = random() % 9000;
    job.pieces.push_back(
        {target.data() + at, source.data() + source.size() - at - bytes, bytes,
         random() % 3 == 0 ? kNowhere : NodeId{static_cast<std::uint32_t>(random() % 4)}});
    std::copy_n(source.end() - static_cast<std::ptrdiff_t>(at + bytes), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const std::size_t bytes = job.bytes();
  std::shuffle(job.pieces.begin(), job.pieces.end(), random);
  Transfer transfer = engines_.start(std::move(job), how());
  transfer.wait();
  EXPECT_EQ(transfer.poll().bytes, bytes);
  EXPECT_TRUE(target == expected);
}

TEST_P(CopyEnginesTest, ManyAtOnce) {
  const Bytes source = random_bytes(400'000, 10);
  std::vector<Bytes> targets(40, Bytes(source.size()));
  std::vector<Transfer> transfers;
  for (Bytes& target : targets)
    transfers.push_back(engines_.start_copy(target.data(), source.data(), source.size(), how()));
  for (std::size_t i = 1; i < transfers.size(); i += 2) transfers[i].wait();
  transfers.clear();  // the destructors of the other handles wait
  for (const Bytes& target : targets) EXPECT_TRUE(target == source);
}

TEST_P(CopyEnginesTest, CancelledTransfersStopAndTellHowMuchIsDone) {
  const Bytes source = random_bytes(4'000'000, 11), untouched(4096, kUntouched);
  std::mt19937 random(12);
  for (int round = 0; round < 8; ++round) {
    Bytes target(source.size(), kUntouched);
    Transfer transfer = engines_.start_copy(target.data(), source.data(), source.size(), how());
    const std::size_t until = random() % source.size();
    while (transfer.poll().bytes < until / 4) std::this_thread::yield();
    const std::size_t done = transfer.cancel();
    const Bytes after = target;
    EXPECT_TRUE(transfer.poll().done);
    EXPECT_EQ(transfer.poll().bytes, done);
    transfer.wait();
    // after cancellation, a prefix is copied, or a prefix of each page-aligned part
    std::size_t copied = 0, wrong = 0;
    for (std::size_t at = 0; at < source.size(); at += 4096) {
      const std::size_t bytes = std::min<std::size_t>(4096, source.size() - at);
      const bool same = std::memcmp(&after[at], &source[at], bytes) == 0;
      copied += same ? bytes : 0;
      wrong += !same && std::memcmp(&after[at], untouched.data(), bytes) != 0;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(copied, done);
    EXPECT_TRUE(!one_engine() || std::memcmp(after.data(), source.data(), done) == 0);
    EXPECT_TRUE(target == after) << "written to after cancel()";
  }
}

TEST_P(CopyEnginesTest, RefusesWhatCannotBeRight) {
  Bytes memory = random_bytes(10'000, 13);
  const Bytes before = memory;
  const auto copy = [&](std::size_t to, std::size_t from, std::size_t bytes) {
    engines_.start_copy(memory.data() + to, memory.data() + from, bytes, how()).wait();
  };
  using Starts = std::pair<std::size_t, std::size_t>;  // offset of the target, offset of the source
  for (const Starts& at : {Starts{0, 0}, {0, 999}, {999, 0}, {500, 700}, {5, 4}})
    EXPECT_THAT([&] { copy(at.first, at.second, 1000); },
                ThrowsMessage<Error>(HasSubstr("a target overlaps a source")));
  CopyJob twice;
  twice.pieces = {{memory.data() + 8000, memory.data(), 100},
                  {memory.data() + 5000, memory.data(), 100},
                  {memory.data() + 8099, memory.data() + 100, 100}};
  EXPECT_THAT([&] { engines_.start(twice, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("two targets overlap")));
  CopyJob crossed;  // the first piece's target is the second one's source
  crossed.pieces = {{memory.data() + 2000, memory.data(), 100},
                    {memory.data() + 4000, memory.data() + 2050, 100}};
  EXPECT_THAT([&] { engines_.start(crossed, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("a target overlaps a source")));
  EXPECT_THAT([&] { engines_.start_fill(memory.data(), Bytes(3), 10, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("10 bytes aren't whole elements of 3")));
  EXPECT_THAT([&] { engines_.start_fill(memory.data(), {}, 10, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("no bytes")));
  EXPECT_TRUE(memory == before);
  copy(1000, 0, 1000);  // adjacent ranges don't overlap
  EXPECT_TRUE(std::equal(memory.begin(), memory.begin() + 1000, memory.begin() + 1000));
}

INSTANTIATE_TEST_SUITE_P(
    All, CopyEnginesTest,
    testing::Values(TransferOptions{.engine = "parallel"}, TransferOptions{.engine = "background"},
                    TransferOptions{.engine = "parallel", .share = 0.3, .rest = "background"},
                    TransferOptions{.engine = "background", .share = 0.9, .rest = "plain"},
                    TransferOptions{.engine = "plain", .share = 0, .rest = "background"}),
    [](const auto& instance) {
      const TransferOptions& how = instance.param;
      return how.engine + (how.rest.empty() ? "" : "_" + how.rest);
    });

TEST(BackgroundEngine, SeveralThreadsStartTransfersAtOnce) {
  CopyEngines engines;
  engines.add(unpinned_background(2));
  const Bytes source = random_bytes(700'000, 14);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t thread = 0; thread < wrong.size(); ++thread)
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 10; ++round) {
        Bytes target(source.size());
        Transfer transfer = engines.start_copy(target.data(), source.data(), source.size());
        if (round % 3 == 0) static_cast<void>(transfer.cancel());
        if (round % 3 == 1) transfer.wait();
        if (round % 3 == 2)
          while (!transfer.poll().done) std::this_thread::yield();
        wrong[thread] += round % 3 != 0 && target != source;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(BackgroundEngine, TransfersOutliveTheEngines) {
  const Bytes source = random_bytes(20'000'000, 15);
  Bytes target(source.size());
  Transfer transfer;
  {
    CopyEngines engines;
    engines.add(unpinned_background());
    transfer = engines.start_copy(target.data(), source.data(), source.size());
  }
  transfer.wait();
  EXPECT_TRUE(target == source);
}

TEST(BackgroundEngine, PinnedAtTheLowestPriority) {
  // the waiting thread copies in place of helpers that get no processor time
  CopyEngines engines;
  engines.add(background_engine({.places = {{0, NodeId{0}}}}));
  const Bytes source = random_bytes(20'000'000, 19);
  Bytes target(source.size());
  engines.start_copy(target.data(), source.data(), source.size()).wait();
  EXPECT_TRUE(target == source);
}

std::set<int> threads() {
  std::set<int> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ids.insert(std::stoi(entry.path().filename()));
  return ids;
}

TEST(BackgroundEngine, HelpersHaveTheLowestPriorityAndTheirUnits) {
  const std::set<int> before = threads();
  const int own = getpriority(PRIO_PROCESS, 0);
  const int unit = sched_getcpu();
  const auto engine = background_engine({.places = {{unit, NodeId{0}}}, .helpers_per_node = 2});
  int helpers = 0;
  for (const int id : threads()) {
    if (before.contains(id)) continue;
    ++helpers;
    const auto settled = [&] {
      cpu_set_t units;
      return getpriority(PRIO_PROCESS, static_cast<id_t>(id)) == 19 &&
             sched_getaffinity(id, sizeof units, &units) == 0 && CPU_COUNT(&units) == 1 &&
             CPU_ISSET(unit, &units);
    };
    // Each helper sets these first, but may be delayed on a busy machine.
    for (int i = 0; i < 2000 && !settled(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(settled()) << getpriority(PRIO_PROCESS, static_cast<id_t>(id));
  }
  EXPECT_EQ(helpers, 2);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own);  // the caller's priority is unchanged
}

TEST(BackgroundEngine, NeedsPlacesAndHelpers) {
  EXPECT_THROW(static_cast<void>(background_engine({})), Error);
  EXPECT_THROW(static_cast<void>(unpinned_background(0)), Error);
}

TEST(SplitEngine, CutsWhereTheShareSays) {
  PlainEngine first("first"), second("second");
  const Bytes source = random_bytes(100 * 4096, 16);
  for (const auto& [share, pages] : {std::pair{0.0, 0}, {0.25, 25}, {0.504, 50}, {1.0, 100}}) {
    Bytes target(source.size());
    CopyJob job;
    for (std::size_t i = 0; i < 10; ++i)
      job.pieces.push_back(
          {target.data() + i * 40960, source.data() + i * 40960, 40960, NodeId{0}});
    const auto split = split_engine(first, second, share);
    EXPECT_EQ(split->name(), "first+second");
    // a second engine, which counts its bytes
    struct Counting : PlainEngine {
      using PlainEngine::PlainEngine;
      std::unique_ptr<CopyOperation> start(CopyJob part) override {
        bytes += part.bytes();
        return PlainEngine::start(std::move(part));
      }
      std::size_t bytes = 0;
    } counting("counting");
    Transfer(split_engine(counting, second, share)->start(std::move(job))).wait();
    EXPECT_EQ(counting.bytes, static_cast<std::size_t>(pages) * 4096) << share;
    EXPECT_TRUE(target == source);
  }
  for (const double share : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(static_cast<void>(split_engine(first, second, share)), Error);
}

/// An engine that fails at the start or during the transfer.
class BrokenEngine : public PlainEngine {
 public:
  explicit BrokenEngine(bool at_start) : PlainEngine("broken"), at_start_(at_start) {}
  std::unique_ptr<CopyOperation> start(CopyJob) override {
    if (at_start_) throw Error::failed("broken", "can't start");
    struct Failing : CopyOperation {
      TransferProgress poll() override { return {17, true}; }
      void wait() override { throw Error::failed("broken", "failed inside"); }
      void cancel() noexcept override {}
    };
    return std::make_unique<Failing>();
  }

 private:
  bool at_start_;
};

TEST(Transfer, ErrorsReachTheOneWhoWaits) {
  for (const bool split : {false, true}) {
    CopyEngines engines;
    engines.add(std::make_unique<BrokenEngine>(false));
    engines.add(unpinned_background());
    const Bytes source = random_bytes(5'000'000, 17);
    Bytes target(source.size());
    TransferOptions how{.engine = "background"};
    if (split) how = {.engine = "background", .share = 0.5, .rest = "broken"};
    if (!split) how.engine = "broken";
    Transfer transfer = engines.start_copy(target.data(), source.data(), source.size(), how);
    for (int again = 0; again < 2; ++again)
      EXPECT_THAT([&] { transfer.wait(); }, ThrowsMessage<Error>(HasSubstr("failed inside")));
    EXPECT_TRUE(transfer.poll().done);
    testing::internal::CaptureStderr();
    transfer = Transfer();
    testing::internal::GetCapturedStderr();  // discards a note that is printed once per process
  }
}

TEST(Transfer, WhatCannotStartLeavesNothingUnderWay) {
  CopyEngines engines;
  engines.add(std::make_unique<BrokenEngine>(true));
  engines.add(unpinned_background());
  const Bytes source = random_bytes(5'000'000, 18);
  Bytes target(source.size());
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            engines.start_copy(target.data(), source.data(), source.size(),
                               {.engine = "background", .share = 0.5, .rest = "broken"}));
      },
      ThrowsMessage<Error>(HasSubstr("can't start")));
  const Bytes after = target;
  engines.start_copy(Bytes(100).data(), source.data(), 100).wait();
  EXPECT_TRUE(target == after) << "written to by a transfer that never started";
}

TEST(Transfer, NothingToDoIsDone) {
  Transfer transfer;
  EXPECT_TRUE(transfer.poll().done);
  EXPECT_EQ(transfer.poll().bytes, 0u);
  transfer.wait();
  EXPECT_EQ(transfer.cancel(), 0u);
}

}  // namespace
}  // namespace Atoll::memory
