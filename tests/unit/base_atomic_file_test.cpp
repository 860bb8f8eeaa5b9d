// AtomicFile: a file is written completely or not at all, and no temporary file remains.
#include <fcntl.h>
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

/// Arguments of the last fsync of this process.
struct Synced {
  int calls = 0;
  ino_t inode = 0;
  off_t bytes = 0;
} synced;

}  // namespace

/// Replaces libc's fsync to record its calls.
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

// The content is synced before the rename. Otherwise a crash could leave an empty file under the
// final name.
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
  fs::remove(name);  // linkers remove and recreate their output file
  std::ofstream(name) << "new";
  file.commit();
  EXPECT_EQ(read(target_), "new");
  EXPECT_EQ(files(), 1);
  AtomicFile never(target_);
  static_cast<void>(never.by_name());
  EXPECT_THROW(never.commit(), Error);
  EXPECT_EQ(read(target_), "new");
}

TEST_F(AtomicFileTest, WritersOfOneFileHaveTheirOwnTemporaryFiles) {
  AtomicFile one(target_), other(target_);  // simulates two processes with the same process id
  const std::string names[]{one.by_name(), other.by_name()};
  EXPECT_NE(names[0], names[1]);
  std::ofstream(names[0]) << "one";
  std::ofstream(names[1]) << "other";
  one.commit();
  EXPECT_EQ(read(target_), "one");
  other.commit();
  EXPECT_EQ(read(target_), "other");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, ALongNameIsWrittenAndATooLongOneRefusedAtOnce) {
  for (const std::size_t length : {1, 246, 250, 255}) {
    const fs::path path = folder_ / std::string(length, 'n');
    AtomicFile file(path);
    file.write("content");
    file.commit();
    EXPECT_EQ(read(path), "content");
    AtomicFile by_name(path);
    std::ofstream(by_name.by_name()) << "by name";
    by_name.commit();
    EXPECT_EQ(read(path), "by name");
  }
  EXPECT_THROW(AtomicFile((folder_ / std::string(256, 'n')).string()), Error);
}

TEST_F(AtomicFileTest, AnOldFileKeepsItsPermissions) {
  for (const unsigned mode : {0600U, 0640U, 0666U, 0755U})
    for (const bool by_name : {false, true}) {
      std::ofstream(target_) << "old";
      fs::permissions(target_, fs::perms{mode});
      AtomicFile file(target_);
      if (by_name)
        std::ofstream(file.by_name()) << "new";
      else
        file.write("new");
      file.commit();
      EXPECT_EQ(read(target_), "new");
      EXPECT_EQ(fs::status(target_).permissions(), fs::perms{mode});
    }
  fs::permissions(target_, fs::perms{0640});
  AtomicFile(target_, AtomicFile::Mode::program).commit();
  EXPECT_EQ(fs::status(target_).permissions(), fs::perms{0750});  // as linkers set them
}

TEST_F(AtomicFileTest, AnOldFileKeepsItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  std::ofstream(target_) << "old";
  ASSERT_EQ(::chown(target_.c_str(), 1234, 2345), 0);
  AtomicFile(target_).commit();
  struct stat status {};
  ASSERT_EQ(::stat(target_.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(status.st_gid, 2345U);
}

TEST_F(AtomicFileTest, LinksStayAndTheirFileIsWritten) {
  fs::create_directory(folder_ / "data");
  const fs::path behind = folder_ / "data" / "behind";
  const fs::path second = folder_ / "data" / "second";
  fs::create_symlink("data/second", target_);
  fs::create_symlink(behind, second);
  for (const char* text : {"first", "again"}) {  // the target is new at first
    AtomicFile file(target_);
    file.write(text);
    file.commit();
    EXPECT_EQ(read(behind), text);
    EXPECT_TRUE(fs::is_symlink(target_));
    EXPECT_TRUE(fs::is_symlink(second));
    EXPECT_EQ(files(), 2);
  }
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THROW(AtomicFile((folder_ / "loop").string()), Error);
  fs::create_symlink("none/file", folder_ / "nowhere");
  EXPECT_THROW(AtomicFile((folder_ / "nowhere").string()), Error);
  const int unnamed = ::open(folder_.path().c_str(), O_TMPFILE | O_RDWR, 0600);
  if (unnamed < 0) GTEST_SKIP() << "no unnamed files here";
  EXPECT_THROW(AtomicFile("/proc/self/fd/" + std::to_string(unnamed)), Error);
  ::close(unnamed);
}

TEST_F(AtomicFileTest, LinksThatOthersMadeInASharedFolderAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give links to another user";
  const fs::path behind = folder_ / "behind", link = folder_ / "shared" / "link";
  std::ofstream(behind) << "old";
  fs::create_directory(folder_ / "shared");
  fs::permissions(folder_ / "shared", fs::perms::all | fs::perms::sticky_bit);
  fs::create_symlink("../behind", link);
  AtomicFile(link).commit();
  EXPECT_EQ(read(behind), "");
  std::ofstream(behind) << "old";
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  EXPECT_THROW(AtomicFile(link.string()), Error);
  fs::create_symlink("shared/link", target_);
  EXPECT_THROW(AtomicFile(target_.string()), Error);
  EXPECT_EQ(read(behind), "old");
}

TEST_F(AtomicFileTest, NewDataInASharedFolderIsOfThisUserAlone) {
  fs::permissions(folder_.path(), fs::perms::all | fs::perms::sticky_bit);
  const mode_t before = ::umask(0);
  const fs::path by_name = folder_ / "by_name", program = folder_ / "program";
  AtomicFile(target_).commit();
  AtomicFile(program, AtomicFile::Mode::program).commit();
  {
    AtomicFile file(by_name);
    std::ofstream(file.by_name()) << "content";
    file.commit();
  }
  ::umask(before);
  EXPECT_EQ(fs::status(target_).permissions(), fs::perms{0600});
  EXPECT_EQ(fs::status(by_name).permissions(), fs::perms{0600});
  EXPECT_EQ(fs::status(program).permissions(), fs::perms{0777});
}

TEST_F(AtomicFileTest, SeveralFilesGetTheirNamesTogether) {
  std::ofstream(target_) << "old";
  const fs::path other = folder_ / "other";
  {
    AtomicFiles files_of_a_call;
    AtomicFile(target_).commit();
    AtomicFile(other).commit();
  }
  EXPECT_EQ(read(target_), "old");
  EXPECT_EQ(files(), 1);
  AtomicFiles files_of_a_call;
  for (const fs::path& path : {target_, other}) {
    AtomicFile file(path);
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(read(target_), "old");
  EXPECT_FALSE(fs::exists(other));
  files_of_a_call.commit();
  EXPECT_EQ(read(target_), "new");
  EXPECT_EQ(read(other), "new");
  EXPECT_EQ(files(), 2);
  AtomicFile(other).commit();
  EXPECT_EQ(read(other), "");
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

/// All files that Atoll writes are written by AtomicFile. Exceptions: the temporary folder that
/// replaces /sys for a simulated program, and open calls of the simulated program, which pass
/// through the interposer.
TEST(AtomicFiles, NothingElseWritesFiles) {
  // A backing file has no name, and isn't a result.
  const std::set<fs::path> others{ATOLL_SOURCE_DIR "/src/memory/file_access.cpp",
                                  ATOLL_SOURCE_DIR "/src/memory/file_calls.cpp",
                                  ATOLL_SOURCE_DIR "/src/memory/file_calls.hpp",
                                  ATOLL_SOURCE_DIR "/src/simulate/machine_view.cpp",
                                  ATOLL_SOURCE_DIR "/src/simulate/inside/files.cpp"};
  const std::set<fs::path> writers{"atomic_file.cpp", "temporary_file.cpp"};
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(ATOLL_SOURCE_DIR "/src")) {
    if (!entry.is_regular_file() || writers.contains(entry.path().filename())) continue;
    if (others.contains(entry.path())) continue;
    ++files;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const char* way : {"ofstream", "::rename(", "copy_file(", "O_CREAT", "mkstemp",
                            "O_TMPFILE", "\"w\"", "\"we\""})
      EXPECT_EQ(text.find(way), std::string::npos) << entry.path() << " has " << way;
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace Atoll
