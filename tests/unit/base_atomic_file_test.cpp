// AtomicFile: whole or not at all, and nothing left beside it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"

namespace Atoll {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
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
  EXPECT_THROW(AtomicFile(folder_.string()), Error);
  EXPECT_THROW(AtomicFile((folder_ / "none" / "target").string()), Error);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(AtomicFile(pipe.string()), Error);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace Atoll
