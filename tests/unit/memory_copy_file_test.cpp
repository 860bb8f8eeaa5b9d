// The engine "file": random pieces of several concurrent jobs against an array in memory, direct
// and concurrent transfers, failures, and refusal by all other engines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <set>
#include <thread>

#include "atoll/base/error.hpp"
#include "memory_copy_support.hpp"
#include "memory_file_support.hpp"
#include "processor_time.hpp"
#include "temporary_folder.hpp"

namespace Atoll::memory {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::size_t kPart = 64 * 1024;  // the least transfer, so that jobs have many parts

/// A file whose system calls the test controls, and an engine.
class FileEngineTest : public testing::Test {
 protected:
  explicit FileEngineTest(std::uint64_t bytes = 8 << 20) {
    testing::internal::CaptureStderr();
    file = faulty_file(folder.path().string(), bytes, faults);
    testing::internal::GetCapturedStderr();
    faults->forget();
  }
  static CopyPiece write_piece(BackingFile& file, std::uint64_t offset,
                               std::span<const std::byte> from) {
    return {.from = from.data(), .bytes = from.size(), .to_file = {&file, offset}};
  }
  static CopyPiece read_piece(BackingFile& file, std::uint64_t offset, std::span<std::byte> to) {
    return {.to = to.data(), .bytes = to.size(), .from_file = {&file, offset}};
  }
  Transfer start(const std::vector<CopyPiece>& pieces) {
    CopyJob job;
    job.pieces = pieces;
    return Transfer(engine->start(std::move(job)));
  }

  const TemporaryFolder folder;
  std::shared_ptr<FileFaults> faults = std::make_shared<FileFaults>();
  std::unique_ptr<BackingFile> file;
  std::unique_ptr<CopyEngine> engine = file_engine({.transfer_bytes = kPart});
};

/// The file is cut into random ranges, few of which are whole blocks. Each range is written or read
/// by one of several jobs, so that jobs share blocks.
void run_random_jobs(BackingFile& file, CopyEngine& engine, unsigned seed, std::size_t most) {
  constexpr std::size_t kJobs = 5;
  std::mt19937 random(seed);
  const std::size_t size = file.bytes();
  Bytes model(size), source = random_bytes(size + 64, seed), target(size + 64), expected = target;
  file.read(0, model);
  std::vector<CopyJob> jobs(kJobs);
  for (std::size_t at = 0; at < size;) {
    const std::size_t bytes = std::min<std::size_t>(size - at, random() % most + 1);
    const std::size_t shift = random() % 3 == 0 ? 0 : random() % 64;  // of the address
    const auto begin = static_cast<std::ptrdiff_t>(at), by = static_cast<std::ptrdiff_t>(shift);
    CopyPiece piece{.bytes = bytes};
    const auto count = static_cast<std::ptrdiff_t>(bytes);
    if (random() % 2 == 0) {
      piece.from = source.data() + at + shift;
      piece.to_file = {&file, at};
      std::copy_n(source.begin() + begin + by, count, model.begin() + begin);
    } else if (at + bytes + 64 <= size) {
      piece.to = target.data() + at;  // addresses of neighbours must not overlap
      piece.from_file = {&file, at};
      std::copy_n(model.begin() + begin, count, expected.begin() + begin);
    } else {
      break;
    }
    jobs[random() % kJobs].pieces.push_back(piece);
    at += bytes;
  }
  std::vector<Transfer> transfers;
  for (CopyJob& job : jobs) {
    std::ranges::shuffle(job.pieces, random);
    if (!job.pieces.empty()) transfers.emplace_back(engine.start(std::move(job)));
  }
  std::ranges::reverse(transfers);
  for (Transfer& transfer : transfers) transfer.wait();
  Bytes after(size);
  file.read(0, after);
  ASSERT_TRUE(after == model) << "seed " << seed;
  ASSERT_TRUE(target == expected) << "seed " << seed;
}

TEST_F(FileEngineTest, RandomPiecesOfSeveralJobsEqualAnArray) {
  BackingFile small(folder.path().string(), 300'001);
  for (unsigned seed = 0; seed < 12; ++seed) {
    run_random_jobs(small, *engine, seed, seed % 2 == 0 ? 3'000 : 30'000);
    run_random_jobs(*file, *engine, 100 + seed, 1'000'000);
  }
  const auto page_cache = std::make_shared<FileFaults>();
  page_cache->set_direct = EINVAL;
  const auto other = faulty_file(folder.path().string(), 1'000'001, page_cache);
  for (unsigned seed = 0; seed < 5; ++seed) run_random_jobs(*other, *engine, seed, 9'000);
}

// Two tiles of rows of 1,001 bytes each, side by side, so that each block has bytes of both.
TEST_F(FileEngineTest, NeighbouringTilesShareBlocks) {
  constexpr std::size_t kRow = 1001, kRows = 400;
  const Bytes left = random_bytes(kRow * kRows, 1), right = random_bytes(kRow * kRows, 2);
  for (int round = 0; round < 5; ++round) {
    file->write(0, Bytes(2 * kRow * kRows));
    std::vector<CopyPiece> pieces[2];
    for (std::size_t row = 0; row < kRows; ++row)
      for (const std::size_t side : {0, 1})
        pieces[side].push_back(
            write_piece(*file, (2 * row + side) * kRow,
                        std::span(side == 0 ? left : right).subspan(row * kRow, kRow)));
    Transfer first = start(pieces[0]), second = start(pieces[1]);
    first.wait();
    second.wait();
    Bytes all(2 * kRow * kRows);
    file->read(0, all);
    for (std::size_t row = 0; row < kRows; ++row) {
      ASSERT_EQ(std::memcmp(&all[2 * row * kRow], &left[row * kRow], kRow), 0) << row;
      ASSERT_EQ(std::memcmp(&all[(2 * row + 1) * kRow], &right[row * kRow], kRow), 0) << row;
    }
  }
}

TEST_F(FileEngineTest, AlignedPiecesAreTransferredDirectly) {
  if (file->block_bytes() == 1) GTEST_SKIP() << file->refused()[0];
  AlignedBuffer buffer;
  const std::size_t bytes = 4 << 20;
  const std::span memory(buffer.get(bytes), bytes);
  std::ranges::copy(random_bytes(bytes, 3), memory.begin());
  engine = file_engine();
  for (const std::size_t pieces : {1, 4}) {
    faults->forget();
    std::vector<CopyPiece> out, in;
    for (std::size_t i = 0; i < pieces; ++i) {
      const auto part = memory.subspan(i * bytes / pieces, bytes / pieces);
      out.push_back(write_piece(*file, i * bytes / pieces, part));
      in.push_back(read_piece(*file, i * bytes / pieces, part));
    }
    start(out).wait();
    start(in).wait();
    EXPECT_THAT(faults->transfers(), Each(Field(&FileTransfer::bytes, Le(bytes / 2))));
    EXPECT_THAT(faults->transfers(),
                Each(Field(&FileTransfer::address,
                           AllOf(testing::Ge(memory.data()), testing::Lt(memory.data() + bytes)))));
  }
}

TEST_F(FileEngineTest, OnlyTheEndsOfAPieceSharePartialBlocks) {
  if (file->block_bytes() == 1) GTEST_SKIP() << file->refused()[0];
  const Bytes memory = random_bytes(3'000'000, 8);
  start({write_piece(*file, 1000, memory)}).wait();
  std::size_t reads = 0;
  for (const FileTransfer& one : faults->transfers()) reads += one.is_write ? 0 : 1;
  EXPECT_EQ(reads, 2u);
}

TEST_F(FileEngineTest, SmallAdjacentPiecesAreTransferredTogether) {
  const Bytes rows = random_bytes(1'000'000, 4);  // 1,000 rows, with gaps in memory
  std::vector<CopyPiece> out;
  for (std::size_t row = 0; row < 1000; ++row)
    out.push_back(write_piece(*file, 4096 + row * 600, std::span(rows).subspan(row * 1000, 600)));
  engine = file_engine();
  start(out).wait();
  EXPECT_LE(faults->transfers().size(), 10u);
  Bytes memory(rows.size());
  std::vector<CopyPiece> in;
  for (std::size_t row = 0; row < 1000; ++row)
    in.push_back(read_piece(*file, 4096 + row * 600, std::span(memory).subspan(row * 1000, 600)));
  faults->forget();
  start(in).wait();
  EXPECT_LE(faults->transfers().size(), 10u);
  for (std::size_t row = 0; row < 1000; ++row)
    ASSERT_EQ(std::memcmp(&memory[row * 1000], &rows[row * 1000], 600), 0) << row;
}

TEST_F(FileEngineTest, AJobMayHavePiecesBetweenAddresses) {
  const Bytes source = random_bytes(700'000, 5);
  Bytes copied(source.size()), read(source.size());
  file->write(99, source);
  start({{copied.data(), source.data(), source.size()}, read_piece(*file, 99, read)}).wait();
  EXPECT_TRUE(copied == source);
  EXPECT_TRUE(read == source);
}

/// Blocks transfers until `least` of a set of events have happened; fails after a minute.
class Meeting {
 public:
  void arrive_and_wait(int event, std::size_t least) {
    std::unique_lock lock(mutex_);
    events_.insert(event);
    changed_.notify_all();
    EXPECT_TRUE(
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return events_.size() >= least; }));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<int> events_;
};

TEST_F(FileEngineTest, SeveralReadsAndWritesAreInProgressAtOnce) {
  Meeting meeting;
  std::atomic<int> calls = 0;
  faults->limit = [&](const FileTransfer& one) -> std::optional<std::int64_t> {
    if (++calls <= 4) meeting.arrive_and_wait(one.is_write ? 1 : 0, 4);
    return {};
  };
  Bytes out(2 << 20), in(2 << 20);
  Transfer write = start({write_piece(*file, 0, out)}),
           read = start({read_piece(*file, 4 << 20, in)});
  while (!write.poll().done || !read.poll().done)  // no waiting thread helps
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(write.poll().bytes, out.size());
  EXPECT_EQ(read.poll().bytes, in.size());
}

TEST_F(FileEngineTest, ThreadsBlockWhileTheDiskWorks) {
  faults->limit = [](const FileTransfer&) -> std::optional<std::int64_t> {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return {};
  };
  Bytes memory(2 << 20);
  const auto begin = std::chrono::steady_clock::now();
  const double busy = processor_seconds([&] {
    start({write_piece(*file, 0, memory)}).wait();
    Transfer read = start({read_piece(*file, 0, memory)});
    while (!read.poll().done) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(busy, elapsed.count() / 4) << "a thread that polls would use all of the time";
}

TEST_F(FileEngineTest, AnErrorEndsTheJobAndNamesThePlace) {
  faults->limit = [](const FileTransfer& one) -> std::optional<std::int64_t> {
    if (one.offset == 5 * kPart) return -EIO;
    // Later parts that are in progress end after this one has failed.
    if (one.offset > 5 * kPart) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return {};
  };
  engine = file_engine({.readers = 1, .writers = 1, .transfer_bytes = kPart});
  Bytes memory(8 << 20);
  for (const bool writes : {true, false}) {
    faults->forget();
    Transfer transfer =
        start({writes ? write_piece(*file, 0, memory) : read_piece(*file, 0, memory)});
    const std::string text = "backing file in " + folder.path().string() + ": " +
                             (writes ? "writing" : "reading") + " at offset ";
    for (int again = 0; again < 2; ++again)
      EXPECT_THAT([&] { transfer.wait(); },
                  ThrowsMessage<Error>(AllOf(HasSubstr(text), HasSubstr("Input/output error"))));
    EXPECT_TRUE(transfer.poll().done);
    EXPECT_LE(transfer.poll().bytes, 5 * kPart) << "a prefix";
    EXPECT_LT(faults->transfers().size(), memory.size() / kPart) << "the rest is dropped";
    const std::size_t done = transfer.poll().bytes;
    EXPECT_EQ(transfer.cancel(), done);
  }
  faults->limit = [](const FileTransfer& one) -> std::optional<std::int64_t> {
    if (one.is_write) return -ENOSPC;
    return one.offset < (1 << 20) ? std::optional<std::int64_t>() : 0;
  };
  EXPECT_THAT([&] { start({write_piece(*file, 0, memory)}).wait(); },
              ThrowsMessage<Error>(HasSubstr("No space left on device")));
  EXPECT_THAT([&] { start({read_piece(*file, 0, memory)}).wait(); },
              ThrowsMessage<Error>(HasSubstr("the system transfers no bytes")));
  faults->limit = nullptr;  // the engine and the file remain usable
  start({write_piece(*file, 0, memory)}).wait();
}

// The first part fails when the second writer has done at least two later parts.
TEST_F(FileEngineTest, TheBytesDoneOfAFailedPieceAreAPrefix) {
  Meeting meeting;
  std::atomic<int> calls = 0;
  faults->limit = [&](const FileTransfer& one) -> std::optional<std::int64_t> {
    if (one.offset > 0 && ++calls > 3) return {};
    meeting.arrive_and_wait(0, one.offset == 0 ? 4 : 0);
    return one.offset == 0 ? std::optional<std::int64_t>(-EIO) : std::nullopt;
  };
  const Bytes memory(8 << 20);
  Transfer transfer = start({write_piece(*file, 0, memory)});
  while (!transfer.poll().done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(transfer.cancel(), 0u);
}

TEST_F(FileEngineTest, NoTransferStartsAfterCancel) {
  Bytes memory(8 << 20);
  faults->limit = [](const FileTransfer&) -> std::optional<std::int64_t> {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for all parts: 3 s
    return {};
  };
  Transfer transfer = start({write_piece(*file, 0, memory)});
  while (transfer.poll().bytes == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::size_t done = transfer.cancel(), calls = faults->transfers().size();
  EXPECT_LT(done, memory.size());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(faults->transfers().size(), calls);
}

TEST_F(FileEngineTest, TransfersOutliveTheEngine) {
  const Bytes source = random_bytes(8 << 20, 6);
  Transfer transfer = start({write_piece(*file, 0, source)});
  engine.reset();
  transfer.wait();
  Bytes back(source.size());
  file->read(0, back);
  EXPECT_TRUE(back == source);
}

TEST_F(FileEngineTest, OtherEnginesRefuseFiles) {
  const Team team(two_places(), Team::Runtime::std_threads, false);
  std::vector<std::unique_ptr<CopyEngine>> others;
  others.push_back(parallel_engine(team));
  others.push_back(serial_engine());
  others.push_back(unpinned_background());
  others.push_back(split_engine(*others[0], *others[1], 0.5));
  others.push_back(split_engine(*engine, *engine, 0.5));
  Bytes memory(100);
  CopyJob plain, from, to;
  plain.pieces = {{memory.data(), memory.data() + 50, 50}};
  from.pieces = {plain.pieces[0], read_piece(*file, 0, memory)};
  to.pieces = {plain.pieces[0], write_piece(*file, 0, memory)};
  for (const auto& other : others) {
    EXPECT_FALSE(other->can(from)) << other->name();
    EXPECT_FALSE(other->can(to)) << other->name();
    EXPECT_EQ(other->can(plain), other->name() != "file+file") << other->name();
  }
  EXPECT_TRUE(engine->can(from));
  EXPECT_TRUE(engine->can(to));
  EXPECT_FALSE(engine->can(plain));
}

TEST_F(FileEngineTest, AutoChoosesItForFilesWithoutAMeasurement) {
  const Team team(two_places(), Team::Runtime::std_threads, false);
  std::set<std::string> measured;
  CopyEngines engines(team, [&](CopyEngine& one, std::size_t) {
    measured.emplace(one.name());
    return 1.0;
  });
  const Bytes source = random_bytes(1000, 7);
  Bytes target(1000);
  engines.start({{write_piece(*file, 50, source)}, {}}).wait();
  engines.start({{read_piece(*file, 50, target)}, {}}).wait();
  EXPECT_TRUE(target == source);
  EXPECT_THAT(measured, SizeIs(0));
  engines.start_copy(target.data(), source.data(), 1000).wait();
  EXPECT_FALSE(measured.contains("file"));
  EXPECT_THAT(
      [&] {
        engines.start({{write_piece(*file, 0, source)}, {}}, {.engine = "background"}).wait();
      },
      ThrowsMessage<Error>(HasSubstr("background can't transfer data of files")));
  EXPECT_THAT(
      [&] { engines.start_copy(target.data(), source.data(), 9, {.engine = "file"}).wait(); },
      ThrowsMessage<Error>(HasSubstr("file can't copy memory")));
}

TEST(FileEngine, RefusesOptionsOutOfRange) {
  for (const FileOptions& options : {FileOptions{.readers = 0}, FileOptions{.writers = 0},
                                     FileOptions{.transfer_bytes = 65'535}})
    EXPECT_THAT([&] { static_cast<void>(file_engine(options)); },
                ThrowsMessage<Error>(HasSubstr("at least one of each and 64 KiB")));
}

}  // namespace
}  // namespace Atoll::memory
