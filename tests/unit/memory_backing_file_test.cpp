// Backing files on a disk and on tmpfs: space, names, errors, transfers and mappings. Contents are
// compared with an array in memory.
#include "atoll/memory/backing_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "atoll/base/error.hpp"
#include "memory_copy_support.hpp"
#include "memory_file_support.hpp"
#include "temporary_folder.hpp"

namespace Atoll::memory {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using testing::Throws;

constexpr std::uint64_t kMany = 3'000'001;

Bytes content(const BackingFile& file) {
  Bytes bytes(file.bytes());
  file.read(0, bytes);
  return bytes;
}

auto is_input(const std::string& text) {
  return Throws<Error>(AllOf(testing::Property(&Error::kind, Error::Kind::input),
                             testing::Property(&Error::what, HasSubstr(text))));
}
auto is_failed(const std::string& text) {
  return Throws<Error>(AllOf(testing::Property(&Error::kind, Error::Kind::failed),
                             testing::Property(&Error::what, HasSubstr(text))));
}

/// Silences the notes of refused features, and returns them.
template <class Make>
std::pair<std::unique_ptr<BackingFile>, std::string> with_notes(const Make& make) {
  testing::internal::CaptureStderr();
  auto file = make();
  return {std::move(file), testing::internal::GetCapturedStderr()};
}

enum class Kind { folder, memory, page_cache };

/// A file in the folder for temporary files, there without direct transfers, and in tmpfs.
class BackingFiles : public testing::TestWithParam<Kind> {
 protected:
  BackingFiles() {
    if (GetParam() == Kind::memory) shm_ = "/dev/shm/atoll-test-" + std::to_string(::getpid());
    if (!shm_.empty()) std::filesystem::create_directory(shm_);
    if (GetParam() == Kind::page_cache) faults_->set_direct = EINVAL;
  }
  ~BackingFiles() override {
    if (!shm_.empty()) std::filesystem::remove_all(shm_);
  }
  std::string folder() const { return shm_.empty() ? temporary_.path().string() : shm_; }
  std::unique_ptr<BackingFile> make(std::uint64_t bytes) const {
    return with_notes([&] { return faulty_file(folder(), bytes, faults_); }).first;
  }

  TemporaryFolder temporary_;
  std::string shm_;
  std::shared_ptr<FileFaults> faults_ = std::make_shared<FileFaults>();
};

TEST_P(BackingFiles, ZerosThatAreAllocatedAndHaveNoName) {
  const auto file = make(kMany);
  EXPECT_EQ(file->bytes(), kMany);
  EXPECT_EQ(file->folder(), folder());
  EXPECT_EQ(content(*file), Bytes(kMany));
  EXPECT_EQ(files_in(folder()), 0u);
  struct stat status {};
  ASSERT_EQ(::fstat(file->access().descriptor(), &status), 0);
  EXPECT_EQ(status.st_nlink, 0u);
  const auto refuses = [&](const char* feature) {
    return std::ranges::any_of(file->refused(), [&](const std::string& text) {
      return text.find(feature) != std::string::npos;
    });
  };
  const std::uint64_t allocated = static_cast<std::uint64_t>(status.st_blocks) * 512;
  EXPECT_TRUE(refuses("fallocate") || allocated >= kMany) << allocated;
  EXPECT_EQ(refuses("O_DIRECT"), file->block_bytes() == 1);
  EXPECT_TRUE(GetParam() == Kind::folder || refuses("O_DIRECT"));
}

TEST_P(BackingFiles, AKilledProcessLeavesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    const BackingFile file(folder(), kMany);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(files_in(folder()), 0u);
}

TEST_P(BackingFiles, AnyOffsetSizeAndAddress) {
  const auto file = make(kMany);
  std::mt19937 random(1);
  const Bytes source = random_bytes(kMany + 5000, 2);
  Bytes model(kMany);
  for (int round = 0; round < 120; ++round) {
    const std::size_t most = round % 3 == 0 ? 1000 : round % 3 == 1 ? 20'000 : 2'500'000;
    std::size_t bytes = random() % most + 1, offset = random() % (kMany - bytes + 1);
    std::size_t address = random() % 5000;
    if (round % 4 == 0) address = address / 8 * 8;
    if (round % 5 == 0) offset = offset / 4096 * 4096;
    if (round % 7 == 0) bytes = kMany - offset;
    file->write(offset,
                std::span(source).subspan(address, std::min(bytes, source.size() - address)));
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(address),
                std::min(bytes, source.size() - address),
                model.begin() + static_cast<std::ptrdiff_t>(offset));
    const std::size_t first = random() % (kMany - 1), count = random() % (kMany - first) + 1;
    Bytes memory(count + 5000, std::byte{0xa5});
    file->read(first, std::span(memory).subspan(address, count));
    ASSERT_TRUE(std::equal(model.begin() + static_cast<std::ptrdiff_t>(first),
                           model.begin() + static_cast<std::ptrdiff_t>(first + count),
                           memory.begin() + static_cast<std::ptrdiff_t>(address)))
        << round;
    if (address > 0) {
      ASSERT_EQ(memory[address - 1], std::byte{0xa5});
    }
    ASSERT_EQ(memory[address + count], std::byte{0xa5});
  }
  EXPECT_TRUE(content(*file) == model);
}

// Rows of 1,000 bytes: four threads write every fourth row, so that they share all blocks.
TEST_P(BackingFiles, ThreadsThatShareBlocksKeepEachOthersBytes) {
  constexpr std::size_t kRow = 1000, kRows = 300, kThreads = 4;
  const auto file = make(kRow * kRows);
  for (unsigned round = 0; round < 3; ++round) {
    const Bytes rows = random_bytes(kRow * kRows, 3 + round);
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        for (std::size_t row = thread; row < kRows; row += kThreads)
          file->write(row * kRow, std::span(rows).subspan(row * kRow, kRow));
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(content(*file) == rows);
  }
}

TEST_P(BackingFiles, MappingsAndTransfersSeeEachOthersBytes) {
  const auto file = make(kMany);
  Bytes model(kMany);
  std::mt19937 random(4);
  for (unsigned round = 0; round < 20; ++round) {
    const std::size_t bytes = random() % 200'000 + 1, offset = random() % (kMany - bytes + 1);
    const auto at = static_cast<std::ptrdiff_t>(offset);
    const Bytes written = random_bytes(bytes, 100 + round),
                edited = random_bytes(bytes, 200 + round);
    {  // so that the page cache has pages that a direct write makes stale
      const FileMapping view = file->map(offset, bytes, FileMapping::Access::view);
      ASSERT_EQ(std::memcmp(view.data(), &model[offset], bytes), 0);
    }
    file->write(offset, written);
    std::ranges::copy(written, model.begin() + at);
    FileMapping view = file->map(offset, bytes, FileMapping::Access::view);
    ASSERT_EQ(view.bytes(), bytes);
    ASSERT_EQ(std::memcmp(view.data(), written.data(), bytes), 0);
    view = file->map(offset, bytes, FileMapping::Access::edit);
    std::ranges::copy(edited, view.data());
    if (round % 2 == 0) view.close();
    if (round % 2 == 1) view = file->map(0, 1, FileMapping::Access::view);
    std::ranges::copy(edited, model.begin() + at);
    Bytes memory(bytes);
    file->read(offset, memory);
    ASSERT_TRUE(memory == edited) << round;
  }
  EXPECT_TRUE(content(*file) == model);
}

TEST_P(BackingFiles, RangesBeyondTheFile) {
  const auto file = make(10'000);
  Bytes memory(100);
  EXPECT_THAT([&] { file->read(9'901, memory); },
              is_input("100 bytes at offset 9901 aren't within its 10000 bytes"));
  EXPECT_THAT([&] { file->write(UINT64_MAX - 50, memory); }, is_input("aren't within"));
  EXPECT_THAT([&] { static_cast<void>(file->map(9'999, 2, FileMapping::Access::view)); },
              is_input("aren't within"));
  EXPECT_THAT([&] { static_cast<void>(file->map(5, 0, FileMapping::Access::view)); },
              is_input("0 bytes"));
  file->read(9'900, memory);
}

INSTANTIATE_TEST_SUITE_P(All, BackingFiles,
                         testing::Values(Kind::folder, Kind::memory, Kind::page_cache),
                         [](const auto& instance) {
                           if (instance.param == Kind::folder) return "folder";
                           return instance.param == Kind::memory ? "memory" : "page_cache";
                         });

TEST(BackingFile, WorksWithoutRefusedFeatures) {
  const TemporaryFolder folder;
  struct Case {
    std::function<void(FileFaults&)> refuse;
    std::string feature;
  };
  const Case cases[] = {
      {[](FileFaults& faults) { faults.open_unnamed = EOPNOTSUPP; }, "O_TMPFILE: Operation not"},
      {[](FileFaults& faults) { faults.open_unnamed = EISDIR; }, "O_TMPFILE: Is a directory"},
      {[](FileFaults& faults) { faults.allocate = EOPNOTSUPP; }, "fallocate: Operation not"},
      {[](FileFaults& faults) { faults.set_direct = EINVAL; }, "O_DIRECT: Invalid argument"},
      {[](FileFaults& faults) { faults.ignores_direct_offsets = true; }, "O_DIRECT: not supported"},
      {[](FileFaults& faults) {  // some file systems accept the flag and refuse transfers
         faults.limit = [&faults](const FileTransfer&) -> std::optional<std::int64_t> {
           if (faults.recorded.size() == 1) return -EINVAL;
           return {};
         };
       },
       "O_DIRECT: Invalid argument"}};
  for (const Case& one : cases) {
    const auto faults = std::make_shared<FileFaults>();
    one.refuse(*faults);
    const auto [file, notes] =
        with_notes([&] { return faulty_file(folder.path().string(), 100'000, faults); });
    EXPECT_THAT(file->refused(), Contains(HasSubstr(one.feature)));
    // The two cases of O_DIRECT print the same line, which is printed once per process.
    if (&one != &cases[5]) {
      EXPECT_THAT(notes, HasSubstr("note: backing file in " + folder.path().string() +
                                   ": the system refuses "));
    }
    const Bytes bytes = random_bytes(70'001, 5);
    file->write(777, bytes);
    Bytes back(bytes.size());
    file->read(777, back);
    EXPECT_TRUE(back == bytes);
    EXPECT_EQ(files_in(folder.path()), 0u);
    EXPECT_TRUE(!one.feature.starts_with("O_DIRECT") || file->block_bytes() == 1);
  }
}

TEST(BackingFile, FoldersThatCannotHoldIt) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const auto make = [](const std::string& where, std::uint64_t bytes) {
    return [=] { const BackingFile file(where, bytes); };
  };
  EXPECT_THAT(make(path + "/none", 1000),
              is_input("folder " + path +
                       "/none: can't create a file there: No such file or "
                       "directory; name an existing folder"));
  std::ofstream(folder / "file") << "text";
  EXPECT_THAT(make(path + "/file", 1000), is_input("Not a directory"));
  EXPECT_THAT(make(path, 0), is_input("0 bytes"));
  EXPECT_THAT(make(path, std::uint64_t{1} << 61), is_input("doesn't fit: "));
  EXPECT_THAT(make(path, UINT64_MAX), is_input("larger than the file system supports"));
  EXPECT_THAT(make("/dev/shm", std::uint64_t{1} << 50), is_input("as this one is in memory"));
  EXPECT_EQ(files_in(path), 1u);
}

TEST(BackingFile, FailuresOfSystemCalls) {
  const TemporaryFolder folder;
  const auto make = [&](const std::function<void(FileFaults&)>& set) {
    return [&folder, set] {
      const auto faults = std::make_shared<FileFaults>();
      set(*faults);
      static_cast<void>(faulty_file(folder.path().string(), 1 << 20, faults));
    };
  };
  for (const int error : {EACCES, EROFS})
    EXPECT_THAT(make([=](FileFaults& faults) { faults.open_unnamed = error; }),
                is_input("name an existing folder that you may write to"));
  EXPECT_THAT(make([](FileFaults& faults) { faults.open_unnamed = EMFILE; }),
              is_failed("creating a file there: Too many open files"));
  EXPECT_THAT(make([](FileFaults& faults) {
                faults.open_unnamed = EOPNOTSUPP;
                faults.open_removed = EACCES;
              }),
              is_input("Permission denied"));
  for (const int error : {ENOSPC, EDQUOT})
    EXPECT_THAT(make([=](FileFaults& faults) { faults.allocate = error; }),
                is_input("a backing file of 1 MiB doesn't fit: "));
  EXPECT_THAT(make([](FileFaults& faults) { faults.allocate = EFBIG; }),
              is_input("larger than the file system supports"));
  EXPECT_THAT(make([](FileFaults& faults) { faults.allocate = EIO; }),
              is_failed("allocating a file of 1 MiB: Input/output error"));
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(BackingFile, LimitOfFileSizes) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{3 << 16, before.rlim_max};  // beyond it, the system would raise SIGXFSZ
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const std::uint64_t bytes : {(3 << 16) + 1, 1 << 30})
    EXPECT_THAT([&] { const BackingFile file(folder.path().string(), bytes); },
                is_input("raise the limit of file sizes (ulimit -f)"));
  const rlimit odd{100'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &odd), 0);
  EXPECT_THAT([&] { const BackingFile file(folder.path().string(), 99'999); },
              is_input("exceeds this process's limit of"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  BackingFile file(folder.path().string(), 3 << 16);
  file.write((3 << 16) - 1, Bytes(1));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
}

class FailingTransfers : public testing::Test {
 protected:
  FailingTransfers() { faults_->forget(); }
  TemporaryFolder folder_;
  std::shared_ptr<FileFaults> faults_ = std::make_shared<FileFaults>();
  std::unique_ptr<BackingFile> file_ =
      with_notes([&] { return faulty_file(folder_.path().string(), 1 << 20, faults_); }).first;
  AlignedBuffer memory_;
  std::span<std::byte> bytes_{memory_.get(1 << 19), 1 << 19};
};

TEST_F(FailingTransfers, ErrorsNameFolderOffsetAndTheSystemsMessage) {
  const std::string where = "backing file in " + folder_.path().string() + ": ";
  faults_->limit = [](const FileTransfer&) { return std::optional<std::int64_t>(-EIO); };
  EXPECT_THAT([&] { file_->read(8192, bytes_); },
              is_failed(where + "reading at offset 8192: Input/output error"));
  EXPECT_THAT([&] { file_->write(8192, bytes_); },
              is_failed(where + "writing at offset 8192: Input/output error"));
  faults_->limit = [](const FileTransfer&) { return std::optional<std::int64_t>(-ENOSPC); };
  EXPECT_THAT([&] { file_->write(0, bytes_); },
              is_failed("No space left on device; free space on its disk"));
  faults_->limit = [](const FileTransfer&) { return std::optional<std::int64_t>(0); };
  EXPECT_THAT([&] { file_->read(4096, bytes_); },
              is_failed(where + "reading at offset 4096: the system transfers no bytes"));
  EXPECT_THAT([&] { file_->write(4096, bytes_); }, is_failed("writing at offset 4096"));
}

TEST_F(FailingTransfers, ShortTransfersAreContinued) {
  const Bytes random = random_bytes(bytes_.size(), 6);
  std::ranges::copy(random, bytes_.begin());
  faults_->limit = [](const FileTransfer&) { return std::optional<std::int64_t>(3 * 4096); };
  file_->write(8192, bytes_);
  std::ranges::fill(bytes_, std::byte{});
  file_->read(8192, bytes_);
  EXPECT_TRUE(std::ranges::equal(bytes_, random));
  // interrupted by a signal
  std::atomic<int> calls = 0;
  faults_->limit = [&](const FileTransfer&) -> std::optional<std::int64_t> {
    if (++calls % 2 == 1) return -EINTR;
    return {};
  };
  file_->read(8192, bytes_);
  EXPECT_TRUE(std::ranges::equal(bytes_, random));
}

TEST_F(FailingTransfers, AlignedMemoryIsTransferredDirectly) {
  if (file_->block_bytes() == 1) GTEST_SKIP() << file_->refused()[0];
  const std::size_t block = file_->block_bytes(), size = 6 << 16;
  const std::span middle = bytes_.subspan(block, size);
  file_->write(3 * block, middle);
  file_->read(3 * block, middle);
  for (const FileTransfer& one : faults_->transfers()) {
    EXPECT_EQ(one.address, middle.data());
    EXPECT_EQ(one.bytes, middle.size());
  }
  EXPECT_THAT(faults_->transfers(), SizeIs(2));
  // If the ends alone are unaligned, everything between them is transferred directly.
  faults_->forget();
  const std::span uneven = bytes_.subspan(100, size);
  file_->write(3 * block + 100, uneven);
  file_->read(3 * block + 100, uneven);
  std::size_t direct = 0;
  for (const FileTransfer& one : faults_->transfers())
    if (one.address == bytes_.data() + block) direct += one.bytes;
  EXPECT_EQ(direct, 2 * (size - block));
}

TEST_F(FailingTransfers, EditsThatCannotBeWritten) {
  if (file_->block_bytes() == 1) GTEST_SKIP() << file_->refused()[0];
  faults_->write_back = EIO;
  FileMapping edit = file_->map(100, 5000, FileMapping::Access::edit);
  edit.data()[0] = std::byte{1};
  EXPECT_THAT([&] { edit.close(); }, is_failed("writing at offset 0: Input/output error"));
  edit.close();
  const auto notes = with_notes([&] {
    static_cast<void>(file_->map(100, 5000, FileMapping::Access::edit));
    return std::unique_ptr<BackingFile>();
  });
  EXPECT_THAT(notes.second, HasSubstr("Input/output error"));
}

}  // namespace
}  // namespace Atoll::memory
