// Common behaviour of all engines: sizes, alignments, fills, many concurrent transfers,
// cancellation, refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "atoll/base/error.hpp"
#include "memory_copy_support.hpp"
#include "memory_file_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::memory {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::byte kUntouched{0xa5};

/// An engine or two, and the ends of its transfers.
struct EngineCase {
  TransferOptions how;
  bool from_file = false, to_file = false;
};

class CopyEnginesTest : public testing::TestWithParam<EngineCase> {
 protected:
  CopyEnginesTest() {
    engines_.add(parallel_engine(team_));
    engines_.add(unpinned_background());
    engines_.add(std::make_unique<PlainEngine>("plain"));
    engines_.add(file_engine());
  }
  const TransferOptions& how() const { return GetParam().how; }
  bool one_engine() const { return how().share == 1; }
  Store source_of(Bytes bytes) const { return store_of(std::move(bytes), GetParam().from_file); }
  Store target_of(Bytes bytes) const { return store_of(std::move(bytes), GetParam().to_file); }
  Transfer start(const CopyPiece& piece, const Bytes& pattern = {}) {
    return engines_.start({{piece}, pattern}, how());
  }
  Transfer start_copy(Store& to, const Store& from, std::size_t bytes) {
    return start(piece_of(to, 0, from, 0, bytes));
  }

  const Team team_{two_places(), Team::Runtime::std_threads, false};
  CopyEngines engines_;

 private:
  Store store_of(Bytes bytes, bool in_file) const {
    return {std::move(bytes), in_file ? folder_.path().string() : ""};
  }
  const TemporaryFolder folder_;
};

TEST_P(CopyEnginesTest, CopiesAnySizeAtAnyAlignment) {
  std::mt19937 random(1);
  const Bytes bytes_of_source = random_bytes(3'000'000, 2);
  const Store source = source_of(bytes_of_source);
  for (const std::size_t most : {0, 1, 70, 5'000, 100'000, 2'900'000})
    for (int round = 0; round < 4; ++round) {
      const std::size_t bytes = most == 0 ? 0 : random() % most + 1;
      const std::size_t to = 1 + random() % 99, from = random() % 99;
      Bytes expected(bytes + 200, kUntouched);
      Store target = target_of(expected);
      std::copy_n(bytes_of_source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      Transfer transfer = start(piece_of(target, to, source, from, bytes));
      transfer.wait();
      EXPECT_TRUE(transfer.poll().done);
      EXPECT_EQ(transfer.poll().bytes, bytes);
      transfer.wait();
      EXPECT_EQ(transfer.cancel(), bytes);
      ASSERT_TRUE(target.content() == expected) << bytes << " bytes to " << to << " from " << from;
    }
}

TEST_P(CopyEnginesTest, FillsElementsOfAnySize) {
  if (GetParam().from_file && !GetParam().to_file) return;  // then no end of a fill is in a file
  for (const std::size_t width : {1, 3, 8, 24, 100, 20'000}) {
    const Bytes element = random_bytes(width, 7);
    const std::size_t bytes = width * (1'500'000 / width);
    Store target = target_of(Bytes(bytes + 2, kUntouched));
    CopyPiece piece;
    target.set_target(piece, 1);
    piece.bytes = bytes;
    start(piece, element).wait();
    const Bytes filled = target.content();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += filled[1 + i] != element[i % width];
    EXPECT_EQ(wrong, 0u) << width;
    EXPECT_EQ(filled.front(), kUntouched);
    EXPECT_EQ(filled.back(), kUntouched);
  }
}

TEST_P(CopyEnginesTest, ManyPiecesOnSeveralNodes) {
  std::mt19937 random(8);
  const Bytes bytes_of_source = random_bytes(2'000'000, 9);
  const Store source = source_of(bytes_of_source);
  Bytes expected(bytes_of_source.size(), kUntouched);
  Store target = target_of(expected);
  CopyJob job;
  for (std::size_t at = 0; at + 9000 < expected.size(); at += 9000) {
    const std::size_t bytes = random() % 9000;
    job.pieces.push_back(
        piece_of(target, at, source, expected.size() - at - bytes, bytes,
                 random() % 3 == 0 ? kNowhere : NodeId{static_cast<std::uint32_t>(random() % 4)}));
    std::copy_n(bytes_of_source.end() - static_cast<std::ptrdiff_t>(at + bytes), bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const std::size_t bytes = job.bytes();
  std::shuffle(job.pieces.begin(), job.pieces.end(), random);
  Transfer transfer = engines_.start(std::move(job), how());
  transfer.wait();
  EXPECT_EQ(transfer.poll().bytes, bytes);
  EXPECT_TRUE(target.content() == expected);
}

TEST_P(CopyEnginesTest, ManyAtOnce) {
  const Bytes bytes = random_bytes(400'000, 10);
  const Store source = source_of(bytes);
  std::vector<Store> targets;
  for (int i = 0; i < 40; ++i) targets.push_back(target_of(Bytes(bytes.size())));
  std::vector<Transfer> transfers;
  for (Store& target : targets) transfers.push_back(start_copy(target, source, bytes.size()));
  for (std::size_t i = 1; i < transfers.size(); i += 2) transfers[i].wait();
  transfers.clear();  // the destructors of the other handles wait
  for (const Store& target : targets) EXPECT_TRUE(target.content() == bytes);
}

TEST_P(CopyEnginesTest, CancelledTransfersStopAndTellHowMuchIsDone) {
  const Bytes bytes_of_source = random_bytes(4'000'000, 11), untouched(4096, kUntouched);
  const Store source = source_of(bytes_of_source);
  std::mt19937 random(12);
  for (int round = 0; round < 8; ++round) {
    Store target = target_of(Bytes(bytes_of_source.size(), kUntouched));
    Transfer transfer = start_copy(target, source, bytes_of_source.size());
    const std::size_t until = random() % bytes_of_source.size();
    while (transfer.poll().bytes < until / 4) std::this_thread::yield();
    const std::size_t done = transfer.cancel();
    const Bytes after = target.content();
    EXPECT_TRUE(transfer.poll().done);
    EXPECT_EQ(transfer.poll().bytes, done);
    transfer.wait();
    // after cancellation, a prefix is copied, or a prefix of each page-aligned part
    std::size_t copied = 0, wrong = 0;
    for (std::size_t at = 0; at < after.size(); at += 4096) {
      const std::size_t bytes = std::min<std::size_t>(4096, after.size() - at);
      const bool same = std::memcmp(&after[at], &bytes_of_source[at], bytes) == 0;
      copied += same ? bytes : 0;
      wrong += !same && std::memcmp(&after[at], untouched.data(), bytes) != 0;
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(copied, done);
    EXPECT_TRUE(!one_engine() || std::memcmp(after.data(), bytes_of_source.data(), done) == 0);
    EXPECT_TRUE(target.content() == after) << "written to after cancel()";
  }
}

TEST_P(CopyEnginesTest, RefusesWhatCannotBeRight) {
  const Bytes before = random_bytes(10'000, 13);
  Store target = target_of(before);
  const Store other = source_of(before);
  // Ranges of different kinds don't overlap.
  const bool same = GetParam().from_file == GetParam().to_file;
  const Store& source = same ? target : other;
  const auto copy = [&](std::size_t to, std::size_t from, std::size_t bytes) {
    start(piece_of(target, to, source, from, bytes)).wait();
  };
  using Starts = std::pair<std::size_t, std::size_t>;  // offset of the target, offset of the source
  for (const Starts& at : {Starts{0, 0}, {0, 999}, {999, 0}, {500, 700}, {5, 4}})
    if (same) {
      EXPECT_THAT([&] { copy(at.first, at.second, 1000); },
                  ThrowsMessage<Error>(HasSubstr("a target overlaps a source")));
    }
  CopyJob twice;
  twice.pieces = {piece_of(target, 8000, source, 0, 100), piece_of(target, 5000, source, 0, 100),
                  piece_of(target, 8099, source, 100, 100)};
  EXPECT_THAT([&] { engines_.start(twice, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("two targets overlap")));
  CopyJob crossed;  // the first piece's target is the second one's source
  crossed.pieces = {piece_of(target, 2000, source, 0, 100),
                    piece_of(target, 4000, source, 2050, 100)};
  if (same) {
    EXPECT_THAT([&] { engines_.start(crossed, how()).wait(); },
                ThrowsMessage<Error>(HasSubstr("a target overlaps a source")));
  }
  EXPECT_THAT([&] { start(piece_of(target, 0, source, 0, 10), Bytes(3)).wait(); },
              ThrowsMessage<Error>(HasSubstr("10 bytes aren't whole elements of 3")));
  EXPECT_THAT([&] { engines_.start_fill(nullptr, {}, 10, how()).wait(); },
              ThrowsMessage<Error>(HasSubstr("no bytes")));
  for (const bool end : {false, true})
    if (end ? GetParam().to_file : GetParam().from_file) {
      EXPECT_THAT([&] { copy(end ? 9'500 : 0, end ? 0 : 9'500, 501); },
                  ThrowsMessage<Error>(HasSubstr("aren't within")));
    }
  EXPECT_TRUE(target.content() == before);
  copy(1000, 0, 1000);  // adjacent ranges don't overlap
  const Bytes after = target.content();
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 1000, after.begin() + 1000));
}

INSTANTIATE_TEST_SUITE_P(
    All, CopyEnginesTest,
    testing::Values(EngineCase{{.engine = "parallel"}}, EngineCase{{.engine = "background"}},
                    EngineCase{{.engine = "parallel", .share = 0.3, .rest = "background"}},
                    EngineCase{{.engine = "background", .share = 0.9, .rest = "plain"}},
                    EngineCase{{.engine = "plain", .share = 0, .rest = "background"}},
                    EngineCase{{.engine = "file"}, true, false},
                    EngineCase{{.engine = "file"}, false, true},
                    EngineCase{{.engine = "file"}, true, true}),
    [](const auto& instance) {
      const EngineCase& one = instance.param;
      return one.how.engine + (one.how.rest.empty() ? "" : "_" + one.how.rest) +
             (one.from_file ? "_from_file" : "") + (one.to_file ? "_to_file" : "");
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
