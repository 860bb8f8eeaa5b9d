// AtomicFile: whole or not at all, and nothing left beside it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "temporary_folder.hpp"

namespace {

/// What the last fsync of this process was called for.
struct Synced {
  int calls = 0;
  ino_t inode = 0;
  off_t bytes = 0;
} synced;

}  // namespace

/// Instead of the library's.
extern "C" int fsync(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) synced = {synced.calls + 1, status.st_ino, status.st_size};
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace Atoll {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  TemporaryFolder folder_;
  fs::path target_ = folder_ / "target";
};

TEST_F(AtomicFileTest, CommitReplaces) {
  std::ofstream(target_) << "old";
  AtomicFile file(target_);
  file.write("new ");
  EXPECT_EQ(read(target_), "old");
  file.write("content");
  file.commit();
  EXPECT_EQ(read(target_), "new content");
  EXPECT_EQ(files(), 1);
}

// After a crash a name that is there may else have an empty file.
TEST_F(AtomicFileTest, AllIsOnTheDiskBeforeItHasTheName) {
  for (const bool by_name : {false, true}) {
    synced = {};
    AtomicFile file(target_);
    if (by_name)
      std::ofstream(file.by_name()) << "whole content";
    else
      file.write("whole content");
    EXPECT_EQ(synced.calls, 0);
    file.commit();
    struct stat status {};
    ASSERT_EQ(::stat(target_.c_str(), &status), 0);
    EXPECT_EQ(synced.calls, 1);
    EXPECT_EQ(synced.inode, status.st_ino);
    EXPECT_EQ(synced.bytes, 13);
  }
}

TEST_F(AtomicFileTest, WithoutCommitNothingChanges) {
  std::ofstream(target_) << "old";
  {
    AtomicFile file(target_);
    file.write("half");
  }
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, RefusesWhatCannotBeWritten) {
  EXPECT_THROW(AtomicFile(folder_.path().string()), Error);
  EXPECT_THROW(AtomicFile((folder_ / "none" / "target").string()), Error);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(AtomicFile(pipe.string()), Error);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(AtomicFileTest, AnotherWriterGetsAName) {
  std::ofstream(target_) << "old";
  {
    AtomicFile file(target_);
    std::ofstream(file.by_name()) << "half";
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(files(), 1);
  AtomicFile file(target_);
  const std::string name = file.by_name();
  std::ofstream(name) << "first";
  fs::remove(name);  // as linkers do
  std::ofstream(name) << "new";
  file.commit();
  EXPECT_EQ(read(target_), "new");
  EXPECT_EQ(files(), 1);
  AtomicFile never(target_);
  static_cast<void>(never.by_name());
  EXPECT_THROW(never.commit(), Error);
  EXPECT_EQ(read(target_), "new");
}

TEST_F(AtomicFileTest, AProgramMayBeRun) {
  const mode_t before = ::umask(022);
  AtomicFile data(folder_ / "data"), program(target_, AtomicFile::Mode::program);
  data.commit();
  program.commit();
  ::umask(before);
  EXPECT_EQ(fs::status(folder_ / "data").permissions(), fs::perms{0644});
  EXPECT_EQ(fs::status(target_).permissions(), fs::perms{0755});
}

/// Every file that Atoll writes goes through AtomicFile, but for the folder that a simulated
/// program is shown as /sys, which is gone with it; and the program's own calls of open pass
/// through our library.
TEST(AtomicFiles, NothingElseWritesFiles) {
  const std::set<fs::path> others{ATOLL_SOURCE_DIR "/src/simulate/machine_view.cpp",
                                  ATOLL_SOURCE_DIR "/src/simulate/inside/files.cpp"};
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(ATOLL_SOURCE_DIR "/src")) {
    if (!entry.is_regular_file() || entry.path().filename() == "atomic_file.cpp") continue;
    if (others.contains(entry.path())) continue;
    ++files;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const char* way : {"ofstream", "::rename(", "copy_file(", "O_CREAT", "\"w\"", "\"we\""})
      EXPECT_EQ(text.find(way), std::string::npos) << entry.path() << " has " << way;
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace Atoll
